import Foundation
import Testing

/// `API` serves any subject: nothing in it depends on what this program is for.
@Suite struct Vocabulary {
    private static let folder: String = {
        let path = (#filePath as String).split(separator: "/").dropLast(4)
        return "/" + path.joined(separator: "/") + "/Sources/Interface/API"
    }()

    @Test func `no source of the interface has a word of schools`() throws {
        let words =
            /(?i)school|homeroom|standing|organi[sz]ation|person|teacher|student|roster|handout|licence/
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(names.count > 20)
        for name in names {
            let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
            let found = text.matches(of: words).map { String($0.output) }
            #expect(found.isEmpty, "\(name)")
        }
    }
}
