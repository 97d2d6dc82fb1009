import HTTPWire
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import OneRoster

/// What was removed from the gradebook, after 90 days.
@Suite struct ForgettingTests {
    private let paths = ["categories/a", "categories/b", "scoreScales/a", "scoreScales/b"]

    private func putAll(_ grader: Grader) async throws {
        let scale: JSONValue = [
            "title": "Letters", "type": "ordinal", "class": ["sourcedId": "class-Biology"],
            "scoreScaleValue": [["itemValueLHS": "A", "itemValueRHS": "90"]],
        ]
        for path in paths {
            let object: JSONValue =
                path.hasPrefix("c") ? ["category": ["title": "Work"]] : ["scoreScale": scale]
            #expect(try await grader.send("PUT", path, object).status == 201)
        }
    }

    /// The categories and the score scales that were removed and are not forgotten.
    private func removed(_ grader: Grader) async throws -> [[String]] {
        let filter = "filter=status%3D'tobedeleted'"
        return [
            try await grader.ids("categories?\(filter)"),
            try await grader.ids("scoreScales?\(filter)"),
        ]
    }

    private func forget(_ school: TestSchool) throws {
        let tables: [Statement] = ["gradebook_category", "gradebook_scale", "gradebook_item"]
        for table in tables {
            try school.sql(
                """
                update school.\(fragment: table) set deleted_at = now() - interval '91 days'
                 where deleted_at is not null
                """)
        }
        try school.removeOutdated()
    }

    @Test func `categories and scales are forgotten when nothing refers to them`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            try await putAll(grader)
            let names: [(String, JSONValue)] = ["category", "scoreScale"].map {
                ($0, ["sourcedId": "b"])
            }
            #expect(try await grader.putItem("quiz", names).status == 201)
            for path in paths { #expect(try await grader.send("DELETE", path).status == 204) }
            #expect(try await removed(grader) == [["a", "b"], ["a", "b"]])
            try school.removeOutdated()
            #expect(try await removed(grader) == [["a", "b"], ["a", "b"]], "not yet")
            try forget(school)
            #expect(try await removed(grader) == [["b"], ["b"]], "the line item names them")
            #expect(try await grader.send("DELETE", "lineItems/quiz").status == 204)
            try forget(school)
            #expect(try await removed(grader) == [[], []])
        }
    }
}
