import Crypto
import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Imports

/// Accepted imports run once, whatever happens to the processes.
@Suite struct ImportQueueing {
    @Test func `an import that a dead worker left is taken up again`() async throws {
        try await withSchool { school in
            let importID = try school.store(.small, status: "running", attempts: 1)
            let done = try school.queue().runNext()
            #expect(done?.uuid == importID.uuid)
            let outcome = try await school.ended("/v1/imports/\(importID.uuid)")
            #expect(outcome.status == "succeeded")
            #expect(outcome.counts("students.csv") == [11, 0, 0, 0])
            #expect(try school.queue().runNext() == nil)
            let pieces = try school.sql("select count(*) as n from school.import_archive")
            #expect(try pieces[0].int("n") == 0, "the archive is gone when the import is over")
        }
    }

    @Test func `an unreadable piece is not a mistake in the archive`() async throws {
        try await withSchool { school in
            let importID = try school.store(.small, status: "queued", attempts: 0)
            let connection = try BlockingConnection(school.ownerURL)
            let caller = Caller(
                organizationID: school.hillside, personID: nil, standings: [.provisioner])
            let pieces = try ArchivePieces(of: importID, connection, as: caller.identity)
            try school.sql("delete from school.import_archive where position = 0")
            var run = ImportRun(importID, connection, .preview) { _ in }
            #expect(throws: PostgresError.self) { try run.run(pieces) }
        }
    }

    @Test func `an import in progress is not taken`() async throws {
        try await withSchool { school in
            let importID = try school.store(.small, status: "queued", attempts: 0)
            let other = try BlockingConnection(school.ownerURL)
            try other.query(.prepareTurns())
            try other.execute("begin")
            #expect(try other.query(.claim(of: nil)).count == 1)
            #expect(try school.queue().runNext() == nil)
            try other.execute("rollback")
            #expect(try school.queue().runNext()?.uuid == importID.uuid)
        }
    }

    @Test func `imports of one organization run one after another, those of others beside them`()
        async throws
    {
        try await withSchool { school in
            let first = try school.store(.small, status: "queued", attempts: 0)
            let second = try school.store(.small, status: "queued", attempts: 0)
            let other = try BlockingConnection(school.ownerURL)
            try other.query(.prepareTurns())
            try other.execute("begin")
            let claimed = try other.query(.claim(of: nil))
            #expect(try claimed[0].uuid("import_id") == first.uuid)
            #expect(try school.queue().runNext() == nil)
            let theirs = try school.store(
                .small, status: "queued", attempts: 0, organization: school.elsewhere)
            #expect(try school.queue().runNext()?.uuid == theirs.uuid)
            try other.execute("rollback")
            try QueueWorker.drain(school.queue().look)
            for importID in [first, second] {
                let outcome = try await school.ended("/v1/imports/\(importID.uuid)")
                #expect(outcome.status == "succeeded")
            }
            let last = try await school.ended("/v1/imports/\(second.uuid)")
            #expect(last.counts("students.csv") == [0, 0, 11, 0])
        }
    }

    @Test(arguments: ["standing", "format"])
    func `what only a newer version can run waits for it, and keeps no other import waiting`(
        column: String
    ) async throws {
        try await withSchool { school in
            let newer = try school.store(.small, status: "queued", attempts: 0)
            try school.sql(
                column == "standing"
                    ? "update school.import set standing = 'headmaster'"
                    : "update school.import set format = 'appleCSV-2'")
            let before = try school.fingerprint()
            #expect(try school.queue().runNext() == nil)
            #expect(try school.isEmpty(), "a worker does not wait for what it cannot run")
            #expect(try school.fingerprint() == before)
            let own = try school.store(.small, status: "queued", attempts: 0)
            let theirs = try school.store(
                .small, status: "queued", attempts: 0, organization: school.elsewhere)
            let done = [try school.queue().runNext(), try school.queue().runNext()]
            #expect(Set(done.map { $0?.uuid }) == [own.uuid, theirs.uuid])
            #expect(try school.isEmpty())
            let left = try school.sql(
                "select status, attempts from school.import where import_id = \(newer)")
            #expect(try left[0].text("status") == "queued")
            #expect(try left[0].int("attempts") == 0)
            // The newer worker, to which nothing is unknown.
            let claimed = try BlockingConnection(school.ownerURL).query(
                "select import_id from school.claim_import(null)")
            #expect(try claimed.map { try $0.uuid("import_id") } == [newer.uuid])
        }
    }

    @Test func `a limited number of imports wait, and the next is asked to come later`()
        async throws
    {
        try await withSchool { school in
            let other = try BlockingConnection(school.ownerURL)
            var last = try school.store(.small, status: "queued", attempts: 0)
            try other.query(.prepareTurns())
            try other.execute("begin")
            #expect(try other.query(.claim(of: nil)).count == 1)
            for _ in 2...20 { last = try school.store(.small, status: "queued", attempts: 0) }
            let refused = try await school.handIn(TestArchive.small.bytes(), as: .ada)
            #expect(refused.status == 429)
            #expect(refused.code == "too_many_imports")
            #expect(refused.header("retry-after") != nil)
            let elsewhere = try await school.handIn(TestArchive.small.bytes(), as: .olga)
            #expect(elsewhere.status == 202, "the queue of another organization is its own")
            try other.execute("rollback")
            try QueueWorker.drain(school.queue().look)
            #expect(
                try await school.ended("/v1/imports/\(last.uuid)").status == "succeeded")
        }
    }

    @Test(arguments: [TestArchive.oneRoster1, .oneRoster2])
    func `an OneRoster archive that a dead worker left is taken up again`(
        archive: TestArchive
    ) async throws {
        try await withSchool { school in
            let importID = try school.store(archive, status: "running", attempts: 2)
            #expect(try school.queue().runNext()?.uuid == importID.uuid)
            let outcome = try await school.ended("/v1/imports/\(importID.uuid)")
            #expect(outcome.status == "succeeded")
            #expect(outcome.counts("enrollments.csv") == [16, 0, 0, 0])
        }
    }

    @Test func `an import that crashes its process each time is given up`() async throws {
        try await withSchool { school in
            let importID = try school.store(.small, status: "running", attempts: 3)
            _ = try school.queue().runNext()
            let outcome = try await school.ended("/v1/imports/\(importID.uuid)")
            #expect(outcome.status == "failed")
            #expect(outcome.errorLines == ["-:-:- interrupted"])
        }
    }
}

extension TestSchool {
    /// Whether a worker finds nothing to do or to wait for.
    fileprivate func isEmpty() throws -> Bool {
        if case .empty = try queue().look() { true } else { false }
    }
}
