import Postgres
import TestKit
import Testing

/// A role that can do more than it should.
struct PowerfulRole: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: Command

    init(_ testDescription: String, _ change: Command) {
        self.testDescription = testDescription
        self.change = change
    }

    static let logins = [
        PowerfulRole("inherits", "alter role school_server inherit"),
        PowerfulRole("makes databases", "alter role school_server createdb"),
        PowerfulRole("makes roles", "alter role school_server createrole"),
        PowerfulRole("passes policies", "alter role school_server bypassrls"),
        PowerfulRole("may do all", "alter role school_server superuser"),
        PowerfulRole("becomes the owner", "grant school_owner to school_server"),
        PowerfulRole("owns a table", "alter table school.term owner to school_server"),
        PowerfulRole("of the export", "alter role school_exporter_login bypassrls"),
    ]

    static let standings = [
        PowerfulRole("signs in", "alter role school_teacher login"),
        PowerfulRole("passes policies", "alter role school_teacher bypassrls"),
        PowerfulRole("may do all", "alter role school_teacher superuser"),
        PowerfulRole("owns a table", "alter table school.term owner to school_teacher"),
    ]
}

/// What `homeroom doctor` says about roles. All databases of a server share them, so each is changed in a transaction
/// that nobody else sees.
@Suite struct DeploymentChecks {
    @Test(arguments: PowerfulRole.logins)
    func `a login that may do more than assume a standing is an error`(
        login: PowerfulRole
    ) async throws {
        try await withSchool { school in
            #expect(try school.said("login_is_powerful", after: "select") == nil)
            let said = try school.said("login_is_powerful", after: login.change)
            let name =
                login.testDescription == "of the export" ? "school_exporter_login" : "school_server"
            #expect(said == "The login \(name) may do more than become a standing.")
        }
    }

    @Test(arguments: PowerfulRole.standings)
    func `a standing that signs in, bypasses policies or owns tables is an error`(
        standing: PowerfulRole
    ) async throws {
        try await withSchool { school in
            #expect(try school.said("standing_is_powerful", after: "select") == nil)
            let said = try school.said("standing_is_powerful", after: standing.change)
            #expect(
                said == "The role school_teacher may sign in, or passes policies, or owns tables.")
        }
    }
}

extension TestSchool {
    /// What a check says to the server's login after a change; nothing of it remains.
    fileprivate func said(_ code: String, after change: Command) throws -> String? {
        let connection = try BlockingConnection(ownerURL)
        try connection.execute("begin")
        defer { try? connection.execute("rollback") }
        try connection.execute(change)
        try connection.execute("set local session authorization school_server")
        let rows = try connection.query(
            "select said, severity from school.deployment_checks() where code = \(code)")
        #expect(try rows[0].text("severity") == "error")
        return try rows[0].optionalText("said")
    }
}
