import Foundation

/// Who signed in last, in a file of its own: an app has to know it at once, and a keyring may ask the person first. A
/// subject opens nothing and names nobody outside of the app.
struct KeptSubject {
    private let file: SecretFile
    private let name: String

    init(_ folder: URL, _ name: String) {
        file = SecretFile(folder: folder, suffix: "subject")
        self.name = name
    }

    func read() -> String? {
        file.contents(name).map { String(decoding: $0, as: UTF8.self) }
    }

    func write(_ subject: String) async throws {
        try await file.write(Data(subject.utf8), as: name)
    }

    func remove() async throws { try await file.remove(name) }
}
