import JSONBytes
import Log
import Postgres
import Server
import Synchronization
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// Who says that the rules in the database were changed, and who puts them back.
@Suite struct ChangedRuleCommands {
    private static let policy: Statement = """
        create policy everyone on school.activity_assignment for select to school_teacher using (true)
        """
    private static let text =
        "The database has a policy that no file has: \"everyone\" on activity_assignment."

    @Test func `the doctor calls an opened policy an error, and a lost index a warning`()
        async throws
    {
        try await withSchool { school in
            try school.sql(Self.policy)
            try school.sql("drop index school.access_token_expiry")
            try school.sql("set session_replication_role = replica")
            try school.sql("delete from school.class where class_id = \(school.biology)")
            let run = try await school.homeroom("doctor", "--json")
            #expect(run.status == 1)
            let findings = run.json["deployment"]?["findings"]?.array ?? []
            func found(_ code: String) -> JSONValue? { findings.first { $0["code"]?.text == code } }
            #expect(found("rules_changed")?["text"]?.text == Self.text)
            #expect(found("rules_changed")?["severity"] == "error")
            #expect(found("rules_changed")?["advice"]?.text?.contains("migrate --whole") == true)
            #expect(found("index_changed")?["severity"] == "warning")
            #expect(found("index_changed")?["text"]?.text?.contains("access_token_expiry") == true)
            #expect(found("rows_without_parents")?["severity"] == "error")
        }
    }

    @Test func `migrate says what is otherwise, and with --whole what it put back`() async throws {
        try await withSchool { school in
            let owner = Homeroom(databaseURL: school.ownerURL, migrationURL: school.ownerURL)
            let well = try await owner("migrate")
            #expect(well.output.contains("nothing was changed. It was compared with SQL/"))
            try school.sql(Self.policy)
            try school.sql("drop index school.access_token_expiry")
            let plain = try await owner("migrate")
            #expect(plain.status == 0 && !plain.output.contains("agrees"))
            #expect(
                plain.output.contains("was changed by hand") && plain.output.contains(Self.text))
            let whole = try await owner("migrate", "--whole")
            #expect(whole.output.contains("put back: \(Self.text)"), "\(whole.output)")
            #expect(
                whole.output.contains(
                    "The database lacks an index: access_token_expiry on access_token."))
            #expect(whole.output.contains("CREATE INDEX access_token_expiry ON"))
            let json = try await owner("migrate", "--json").json
            #expect(json["differences"]?.array?.count == 1 && json["putBack"] == [])
        }
    }

    @Test func `a server says each change in its log, counts them, and serves on`() async throws {
        let lines = Mutex("")
        let log = Log(sink: { line in lines.withLock { $0 += String(decoding: line, as: UTF8.self) }
        })
        try await withObservedSchool(
            log: log, comparesRules: true, before: { try $0.sql(Self.policy) }
        ) { school, service, metrics in
            _ = try await MetricsPage(of: metrics, when: "homeroom_rules_changed", is: 1)
            #expect(lines.withLock { $0.contains("rules changed") && $0.contains("everyone") })
            #expect(service.get("/readyz")?.status == 200)
        }
    }

    @Test func `a server over rules as they should be says so`() async throws {
        try await withObservedSchool(comparesRules: true) { _, _, metrics in
            _ = try await MetricsPage(of: metrics, when: "homeroom_rules_changed", is: 0)
        }
    }
}
