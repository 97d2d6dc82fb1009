import Postgres
import School
import TestKit
import Testing

/// The table at the top of `SQL/policies/imports.sql`, tested in the database itself.
@Suite struct ImportPolicy {
    static let tables: [(name: String, count: Statement)] = [
        ("import", "select count(*) as n from school.import"),
        ("import_archive", "select count(*) as n from school.import_archive"),
        ("import_file", "select count(*) as n from school.import_file"),
        ("import_problem", "select count(*) as n from school.import_problem"),
    ]

    @Test func `directory managers of the organization see imports, and nobody else does`()
        async throws
    {
        try await withSchool { school in
            try await school.leaveImports()
            for table in Self.tables {
                #expect(try school.sql(table.count)[0].int("n") > 0, "\(table.name) has rows")
                for persona in [Persona.ada, .petra, .provisioner] {
                    let seen = try school.sql(table.count, as: school.caller(persona))
                    #expect(try seen[0].int("n") > 0, "\(persona) sees \(table.name)")
                }
                let theirs = try school.sql(table.count, as: school.caller(.olga))
                #expect(try theirs[0].int("n") == 0, "\(table.name)")
                for persona in [Persona.mara, .tom, .sam, .exporter, .samsApp] {
                    #expect(throws: PostgresError.self, "\(persona) and \(table.name)") {
                        try school.sql(table.count, as: school.caller(persona))
                    }
                }
            }
        }
    }

    @Test func `nobody may read the turns of organizations`() async throws {
        try await withSchool { school in
            try await school.leaveImports()
            #expect(try school.sql("select organization_id from school.import_turn").count == 1)
            #expect(throws: PostgresError.self) {
                try school.sql(
                    "select organization_id from school.import_turn", as: school.caller(.ada))
            }
        }
    }

    @Test func `nobody orders an import for another organization, person or standing`()
        async throws
    {
        try await withSchool { school in
            let petra = school.caller(.petra)
            let person = school.id(.petra)
            let own = try school.sql(
                .newImport(of: school.hillside, by: person, as: .peopleManager), as: petra)
            #expect(own.affected == 1)
            let refused: [Statement] = [
                .newImport(of: school.elsewhere, by: person, as: .peopleManager),
                .newImport(of: school.hillside, by: school.id(.ada), as: .peopleManager),
                .newImport(of: school.hillside, by: person, as: .administrator),
            ]
            for statement in refused {
                #expect(throws: PostgresError.self) { try school.sql(statement, as: petra) }
            }
        }
    }
}

extension Statement {
    fileprivate static func newImport(
        of organizationID: OrganizationID, by personID: PersonID, as standing: Standing
    ) -> Statement {
        """
        insert into school.import (organization_id, import_id, mode, standing, person_id, archive_bytes)
        values (\(organizationID), gen_random_uuid(), 'apply', \(standing.rawValue), \(personID), 1)
        """
    }
}

extension TestSchool {
    /// One import that failed, one that did something, and one that waits with its archive.
    fileprivate func leaveImports() async throws {
        let broken = try await importArchive(
            TestArchive.small.adding("L3,", to: "locations.csv"), strict: true)
        #expect(broken.status == "failed")
        #expect(try await importArchive(.small).status == "succeeded")
        let smaller = TestArchive.small
            .replacing("K2,MA-1-B,C1,T2,,,L2\n", with: "", in: "classes.csv")
            .replacing("R12,K2,S1\nR13,K2,S2\n", with: "", in: "rosters.csv")
        #expect(try await importArchive(smaller).status == "awaitingApproval")
    }
}
