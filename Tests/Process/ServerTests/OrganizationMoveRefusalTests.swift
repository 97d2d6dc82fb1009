import AloneKit
import Crypto
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// What keeps an organization from moving is said before anything is changed.
@Suite(.timeLimit(.minutes(10))) struct OrganizationMoveRefusals {
    @Test(
        .thorough,
        arguments: [
            ("another version", "different versions of Homeroom's schema"),
            ("another key", "derives pseudonyms from another key"),
            ("the domain", "the domain hillside.example belongs to another organization"),
            ("the managed ID", "is taken"),
            ("the school", "has this organization already"),
        ])
    func `an other cell that cannot take it is refused`(
        obstacle: String, complaint: String
    ) async throws {
        try await withTwoCells { cells in
            try obstruct(obstacle, cells)
            let before = try cells.digestsHere(of: cells.here.hillside)
            for words in [[], ["--check"]] {
                let run = try await cells.homeroom.run(cells.words + words)
                #expect(run.status == 1 && run.complaints.contains(complaint), "\(run.complaints)")
            }
            #expect(try cells.remains() == [])
            #expect(try cells.digestsHere(of: cells.here.hillside) == before)
        }
    }

    private func obstruct(_ obstacle: String, _ cells: TwoCells) throws {
        let other = UUID.v7()
        if obstacle == "another version" {
            try cells.sqlThere("update school.applied_schema set sha256 = sha256('other')")
            return
        }
        let id = obstacle == "the school" ? cells.here.hillside.uuid : other
        try cells.sqlThere(
            "insert into school.organization (organization_id, name) values (\(id), 'Oak')")
        guard obstacle != "another key" else { return }
        let key = try cells.here.sql("select key from school.pseudonym_key")[0].bytes("key")
        try cells.sqlThere("update school.pseudonym_key set key = \(key)")
        let domain = obstacle == "the domain" ? "hillside.example" : "oak.example"
        try cells.sqlThere(
            "insert into school.domain_directory (domain, organization_id) values (\(domain), \(id))"
        )
        try cells.sqlThere(
            "insert into school.organization_domain (organization_id, domain) values (\(id), \(domain))"
        )
        guard obstacle == "the managed ID" else { return }
        let taken = try cells.here.sql(
            """
            select managed_id from school.managed_id_directory
             where organization_id = \(cells.here.hillside) order by managed_id limit 1
            """)[0].text("managed_id")
        // Such an id can only be left over: its domain is not the organization's.
        let connection = try cells.servers.connect(to: cells.there)
        try connection.execute("set session_replication_role = replica")
        try connection.query(
            """
            insert into school.managed_id_directory (managed_id, organization_id, person_id)
            values (\(taken), \(id), \(id))
            """)
    }

    @Test func `arguments that make no sense are refused`() async throws {
        try await withTwoCells { cells in
            let id = cells.here.hillside.uuid.description
            let cases: [([String], Int32, String)] = [
                ([], 64, "organization move takes ID"), ([id], 64, "--to is needed"),
                (["hillside", "--to", "dbname=b"], 64, "the id of an organization"),
                ([id, "--to", ""], 64, "the address of a PostgreSQL"),
                ([id, "--to", "host=b password=secret"], 64, "should have no password"),
                ([id, "--to", "postgresql://me:secret@b/school"], 64, "should have no password"),
                ([id, "--to", "dbname=b", "--check", "--back"], 64, "exclude each other"),
                ([id, "--to", "host=/nowhere"], 1, "The other cell cannot be reached"),
                ([id, "--to", cells.here.ownerURL], 1, "lead to the same PostgreSQL"),
                (
                    [id, "--to", cells.thereURL + " user=school_server"], 1,
                    "needs a login that is a superuser"
                ),
                (
                    [cells.here.biology.uuid.description, "--to", cells.thereURL], 1,
                    "no such organization"
                ),
                ([id, "--to", cells.thereURL, "--back"], 1, "does not move"),
            ]
            for (words, status, complaint) in cases {
                let run = try await cells.homeroom.run(["organization", "move"] + words)
                #expect(
                    run.status == status && run.complaints.contains(complaint),
                    "\(words): \(run.complaints)")
                #expect(!run.complaints.contains("secret"))
            }
        }
    }

    @Test func `a PostgreSQL that cannot publish single tables is refused`() async throws {
        try await withTwoCells { cells in
            try await withSchool { school in
                let homeroom = Homeroom(
                    databaseURL: school.ownerURL + " user=school_server",
                    migrationURL: school.ownerURL)
                let run = try await homeroom(
                    "organization", "move", school.hillside.uuid.description, "--to",
                    cells.thereURL)
                #expect(run.status == 1)
                #expect(run.complaints.contains("A move needs wal_level = logical"))
            }
        }
    }

    @Test func `doctor finds a slot that nothing reads`() async throws {
        try await withTwoCells { cells in
            let check: Statement = """
                select said from school.deployment_checks() where code = 'move_left_a_slot'
                """
            #expect(try cells.sqlThere(check)[0].optionalText("said") == nil)
            try cells.sqlThere(
                "select pg_create_logical_replication_slot('homeroom_move_left', 'pgoutput')")
            let said = try cells.sqlThere(check)[0].optionalText("said")
            #expect(said?.contains("homeroom_move_left") == true)
            try cells.sqlThere("select pg_drop_replication_slot('homeroom_move_left')")
        }
    }
}
