import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// An archive that is handed in again after a lost answer.
@Suite struct ImportKeys {
    @Test func `an archive with a key is imported once, however often it is handed in`()
        async throws
    {
        try await withSchool { school in
            let archive = try TestArchive.small.bytes()
            let first = try await school.handIn(archive, key: "tonight")
            #expect(first.status == 202)
            let location = try #require(first.header("location"))
            let ended = try await school.ended(location)
            #expect(ended.status == "succeeded", "the worker hears of it after the commit")

            let again = try await school.handIn(archive, key: "tonight")
            #expect(again.status == 202)
            #expect(again.body == first.body)
            #expect(again.header("location") == location)
            #expect(try school.sql("select from school.import").count == 1)
        }
    }

    @Test func `another archive under the same key is refused`() async throws {
        try await withSchool { school in
            let first = try await school.handIn(TestArchive.small.bytes(), key: "k")
            _ = try await school.ended(try #require(first.header("location")))
            let other = TestArchive.small.adding("x,y", to: "staff.csv")
            let refused = try await school.handIn(other.bytes(), key: "k")
            #expect(refused.status == 422)
            #expect(refused.code == "idempotency_key_reused")
            #expect(try school.sql("select from school.import").count == 1)
        }
    }
}

extension TestSchool {
    fileprivate func handIn(_ bytes: [UInt8], key: String) async throws -> Answer {
        try await send(
            .post, "/v1/imports?mode=apply", as: .ada, body: bytes,
            headers: [("Content-Type", "application/zip"), ("Idempotency-Key", key)])
    }
}
