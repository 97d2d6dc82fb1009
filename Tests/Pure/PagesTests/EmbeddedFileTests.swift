import Foundation
import HTTPServer
import Testing

@testable import Pages

/// Whether the program has what is in the folders, so that no file can be forgotten.
@Suite struct EmbeddedFiles {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Pages").standardized

    /// The files of a folder, by name.
    private func files(in folder: String) throws -> [String: [UInt8]] {
        let urls = try FileManager.default.contentsOfDirectory(
            at: Self.pages.appending(path: folder), includingPropertiesForKeys: nil)
        return try urls.reduce(into: [:]) { files, url in
            files[url.lastPathComponent] = Array(try Data(contentsOf: url))
        }
    }

    @Test func `every asset is served byte for byte`() async throws {
        let files = try files(in: "Assets")
        var served: [String: [UInt8]] = [:]
        for (path, name) in Assets.shared.paths {
            let answer = try #require(Assets.shared.answer(path, packed: false))
            let file = try #require(name.split(separator: "/").last)
            served[String(file)] = try await answer.wholeBody()
        }
        #expect(served.keys.sorted() == files.keys.sorted())
        for (name, bytes) in files { #expect(served[name] == bytes, "\(name)") }
    }

    @Test func `every catalogue is read byte for byte`() throws {
        let files = try files(in: "Catalogues")
        #expect(files.keys.sorted() == Language.allCases.map { "\($0.rawValue).txt" }.sorted())
        for language in Language.allCases {
            let text = Catalogue.source(of: language)
            #expect(files["\(language.rawValue).txt"].map { Array(text.utf8) == $0 } == true)
        }
    }
}
