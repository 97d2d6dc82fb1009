import JSONBytes
import Postgres
import TestKit
import Testing
import Values

@testable import Changes

@Suite struct Positions {
    /// A feed whose key is known.
    private func feed(in school: TestSchool, forgottenThrough forgotten: Int = 0) throws -> Feed {
        try Feed(
            try school.sql(
                """
                select '0190f0c0-0000-4000-8000-0000000000fe'::uuid as feed_id,
                       \(forgotten)::bigint as forgotten_through, 900::bigint as ends_before
                """)[0])
    }

    /// Positions as the first servers with a feed sealed them: clients keep them for up to 30 days.
    private static let before772 =
        "_tLcUv0rPiAjHpREt85OWWGMhW0-zzZkAibxHZ-hLBv8eo_PQmkobvk"
    private static let within772 =
        "3ARqhdfc9i_0Nb55sexcfO0PxhmJKo5aCEUYRQvFDtEApTEsn3D3cF8"

    @Test func `positions that clients hold are understood for good`() async throws {
        try await withSchool { school in
            let feed = try feed(in: school)
            #expect(try feed.opened(Self.before772) == FeedPosition(before: 772))
            let within = try feed.opened(Self.within772)
            #expect(within.number == 772 && within.last?.kind == "class")
            #expect(within.last?.id.description == "0190f0c0-0000-7000-8000-000000000001")
            #expect(feed.sealed(within) == Self.within772)
            let later = try self.feed(in: school, forgottenThrough: 772)
            #expect(throws: (any Error).self) { try later.opened(Self.before772) }
        }
    }

    @Test func `the end looks different each time, and is the same`() async throws {
        try await withSchool { school in
            let feed = try feed(in: school)
            let ends = (0..<20).map { _ in feed.end }
            #expect(Set(ends).count == 20)
            for end in ends { #expect(try feed.opened(end) == FeedPosition(before: 900)) }
        }
    }

    @Test func `a position does not say whether others changed something`() async throws {
        try await withSchool { school in
            func position() async throws -> String? {
                try await school.get("/v1/changes", as: .tess).json["position"]?.text
            }
            let first = try #require(try await position())
            let second = try #require(try await position())
            #expect(first != second, "nothing changed")
            try school.sql(
                "update school.class set room = '12' where class_id = \(school.biology)")
            let third = try #require(try await position())
            #expect(third != second && third.utf8.count == second.utf8.count)
            for position in [first, second, third] {
                let answer = try await school.get("/v1/changes?after=\(position)", as: .tess)
                #expect(answer.json["items"]?.array?.isEmpty == true, "Tess teaches Chemistry")
            }
        }
    }
}
