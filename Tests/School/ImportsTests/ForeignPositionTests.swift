import Contract
import Crypto
import JSONBytes
import TestKit
import Testing

@testable import Imports

/// Page tokens made by hand: of the right list, but with a place that the list cannot have.
@Suite struct ForeignPositions {
    private static let places = [
        "x", "", "-1", "1.5", "9223372036854775808", "99999999999999999999999", "0x10", "a\u{0}b",
    ]

    /// The token of a first page, behind another place.
    private func token(_ page: JSONValue, at place: String) throws -> String {
        let text = try #require(page["nextPageToken"]?.text)
        let bytes = try #require(Base64.decodeURL(text))
        var parts = try #require(try JSONValue(parsing: bytes).array)
        parts[1] = .text(place)
        return Base64.encodeURL(JSONValue.array(parts).bytes)
    }

    @Test(arguments: ["people", "changes", "findings"])
    func `a place that is no position is refused like any other wrong token`(list: String)
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let archive = list == "findings" ? FindingLists.odd : UndoneImports.changed
            let plan = try await school.importArchive(archive, mode: "preview")
            let path = "\(plan.location)/\(list)?limit=1"
            let first = try await school.get(path, as: .ada).json
            for place in Self.places {
                let token = try token(first, at: place)
                let answer = try await school.get("\(path)&pageToken=\(token)", as: .ada)
                #expect(
                    answer.status == 400 && answer.code == "invalid_parameter",
                    "\(place): \(answer.status) \(answer.text)")
            }
            for far in [2_147_483_648, Int.max] {
                let token = try token(first, at: "\(far)")
                let answer = try await school.get("\(path)&pageToken=\(token)", as: .ada)
                #expect(answer.status == 200, "\(far): \(answer.text)")
                #expect(far < Int.max || answer.items == [], "nothing is behind the last place")
            }
        }
    }

    @Test func `an import that is none is refused, too`() async throws {
        try await withSchool { school in
            for _ in 0..<2 { _ = try await school.importArchive(.small, mode: "preview") }
            let first = try await school.get("/v1/imports?limit=1", as: .ada).json
            for place in Self.places {
                let token = try token(first, at: place)
                let answer = try await school.get(
                    "/v1/imports?limit=1&pageToken=\(token)", as: .ada)
                #expect(answer.status == 400, "\(place): \(answer.text)")
            }
        }
    }

    /// The lists name files by the contract's words, and read them by the formats' own.
    @Test func `the contract knows the files of all formats`() {
        let own =
            Template.allCases.map(\.rawValue)
            + OneRosterFile.allCases.map(\.fileName).filter { Template(rawValue: $0) == nil }
        #expect(ImportFileName.allCases.map(\.rawValue) == own)
    }
}
