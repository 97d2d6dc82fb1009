import Foundation
import Testing

/// `API` and `Shapes` serve any subject: nothing in them depends on what this program is for.
@Suite struct Vocabulary {
    private static let folders: [String] = {
        let path = (#filePath as String).split(separator: "/").dropLast(4)
        return ["API", "Shapes"].map {
            "/" + path.joined(separator: "/") + "/Sources/Interface/\($0)"
        }
    }()

    @Test func `no source of the interface has a word of schools`() throws {
        let words =
            /(?i)school|homeroom|standing|organi[sz]ation|person|teacher|student|roster|handout|licence/
        var read = 0
        for folder in Self.folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                let found = text.matches(of: words).map { String($0.output) }
                #expect(found.isEmpty, "\(name)")
                read += 1
            }
        }
        #expect(read > 30)
    }
}
