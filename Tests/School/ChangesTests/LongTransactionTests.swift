import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// Transactions that run for long, wait for each other or end badly, beside those who follow changes.
@Suite struct FollowingBesideLongTransactions {
    /// What somebody else has begun and not finished.
    enum Work: CaseIterable {
        case anotherSchool, nothingToNote, anImport

        func statement(_ school: TestSchool) -> Statement {
            switch self {
            case .anotherSchool:
                "update school.location set name = 'Far' where organization_id = \(school.elsewhere)"
            case .nothingToNote: "select pg_current_xact_id()::text"
            case .anImport:
                """
                insert into school.location (organization_id, location_id, name)
                select \(school.hillside), ('0190f0c0-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Site ' || n
                  from generate_series(1, 250) as n
                """
            }
        }
    }

    private func begin(_ statement: Statement, in school: TestSchool) throws -> BlockingConnection {
        let connection = try BlockingConnection(school.ownerURL)
        try connection.execute("begin")
        try connection.query(statement)
        return connection
    }

    private func move(_ group: ClassID) -> Statement {
        "update school.class set room = '12' where class_id = \(group)"
    }

    private func isChanged(_ group: ClassID) -> SeenChange {
        SeenChange("class", group.uuid.description, "changed")
    }

    @Test(arguments: Work.allCases)
    func `it holds back neither those who follow nor webhooks`(work: Work) async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            _ = try await RegisteredWebhook(["class", "location"], in: school)
            var follower = try await Follower(.provisioner, in: school)
            let long = try begin(work.statement(school), in: school)
            try BlockingConnection(school.ownerURL, options: ["lock_timeout": "10s"])
                .query(move(school.biology))
            #expect(try await follower.read().changes == [isChanged(school.biology)])
            try await school.storeUploads()
            #expect(receiver.calls.map(\.changes.count) == [1])

            try long.execute("commit")
            let later = try await follower.read()
            #expect(later.changes.count == (work == .anImport ? 250 : 0))
            #expect(later.changes.allSatisfy { $0.kind == "location" && $0.what == "created" })
            try await eventually {
                try await school.storeUploads()
                return receiver.calls.flatMap(\.changes).count == 1 + later.changes.count
            }
        }
    }

    @Test func `who commits later comes later, and only within a school`() async throws {
        try await withSchool { school in
            var ada = try await Follower(.ada, in: school)
            var olga = try await Follower(.olga, in: school)
            let first = try begin(move(school.biology), in: school)
            let second = try BlockingConnection(
                school.ownerURL, options: ["lock_timeout": "200ms"])
            // As if the first were in the middle of its commit: it has its position, and nobody sees it yet.
            try first.execute("set constraints all immediate")
            let refusal = #expect(throws: PostgresError.self) {
                try second.query(move(school.chemistry))
            }
            guard case .server(let error) = refusal else {
                Issue.record("it did not wait: \(String(describing: refusal))")
                return
            }
            #expect(error.sqlState == "55P03")
            try second.query(move(TestIDs.elsewhereClass))
            #expect(try await olga.read().changes == [isChanged(TestIDs.elsewhereClass)])
            #expect(try await ada.read().changes.isEmpty)
            try first.execute("commit")
            try second.query(move(school.chemistry))
            #expect(
                try await ada.read().changes == [
                    isChanged(school.biology), isChanged(school.chemistry),
                ])
        }
    }

    @Test func `who is killed leaves nothing, and nobody waiting`() async throws {
        try await withSchool { school in
            var follower = try await Follower(.ada, in: school)
            let noting = try begin(Work.anImport.statement(school), in: school)
            let committing = try begin(move(school.biology), in: school)
            try committing.execute("set constraints all immediate")
            for victim in [noting, committing] {
                let process = try victim.query("select pg_backend_pid() as id")[0].int("id")
                try school.sql("select pg_terminate_backend(\(process)::integer)")
            }
            try school.sql(move(school.chemistry))
            #expect(try await follower.read().changes == [isChanged(school.chemistry)])
            #expect(throws: PostgresError.self) { try committing.execute("commit") }
            #expect(try await follower.read().changes.isEmpty)
        }
    }

    @Test func `what is rolled back within a transaction is not shown`() async throws {
        try await withSchool { school in
            var follower = try await Follower(.ada, in: school)
            let writer = try BlockingConnection(school.ownerURL)
            try writer.execute("begin")
            try writer.execute("savepoint part")
            try writer.query(Work.anImport.statement(school))
            try writer.execute("rollback to part")
            try writer.query(move(school.biology))
            try writer.execute("savepoint part")
            try writer.query(move(school.chemistry))
            try writer.execute("rollback to part")
            try writer.execute("commit")
            #expect(try await follower.read().changes == [isChanged(school.biology)])
            let nothing = try begin("savepoint part", in: school)
            try nothing.query(Work.anImport.statement(school))
            try nothing.execute("rollback to part")
            try nothing.execute("commit")
            #expect(try await follower.read().changes.isEmpty)
        }
    }
}
