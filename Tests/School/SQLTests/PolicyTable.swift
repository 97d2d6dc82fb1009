import Postgres
import School
import TestKit
import Testing

/// The tables at the top of the files of `SQL/policies`, tested in a real database.
@Suite struct Policies {
    static let rows =
        PolicyTable.access + PolicyTable.directory + PolicyTable.terms + PolicyTable.catalog
        + PolicyTable.progress + PolicyTable.handoutPasts + PolicyTable.records
        + PolicyTable.licences + PolicyTable.thumbnails + FeatureTable.all.flatMap(\.policies)

    @Test(arguments: rows)
    func `every standing sees what a table's row says, and nothing without an identity`(
        row: PolicyRow
    ) async throws {
        try await withSharedPopulatedSchool { populated in
            let all = try populated.labels(row.labels)
            #expect(all == row.hillside.union(row.elsewhere), "everything does exist")
            #expect(row.hillside.isDisjoint(with: row.elsewhere) && !row.elsewhere.isEmpty)

            for standing in Standing.allCases {
                let expected = row.visible(to: standing)
                #expect(expected.isSubset(of: row.hillside))
                let seen = try populated.labels(row.labels, as: populated.caller(standing))
                #expect(seen == expected, "\(standing)")

                let nobody = Identity(role: standing.databaseRole)
                let seenByNobody = try populated.labels(row.labels, as: nobody)
                #expect(seenByNobody.isEmpty, "\(standing) without identity")
            }
            let login = Identity(role: "school_server")
            let seenByLogin = try populated.labels(row.labels, as: login)
            #expect(seenByLogin.isEmpty, "the login of the server")
        }
    }

    @Test func `every table has its row`() async throws {
        try await withPopulatedSchool { populated in
            let tables = try populated.labels(
                """
                select relname::text as label from pg_class
                 where relnamespace = 'school'::regnamespace and relkind in ('r', 'p', 'v', 'm')
                   and not relispartition
                """)
            #expect(tables == Set(Self.rows.map(\.table)).union(Self.deploymentTables))
        }
    }

    /// These concern the deployment and no organization; only the owner may access them.
    static let deploymentTables: Set<String> = [
        "migration", "applied_schema", "applied_object", "deployment_team", "deployment_key",
        "deployment_bundle", "pseudonym_key", "signing_key", "clock", "clock_look",
    ]

    @Test func `tables that concern the deployment are the owner's alone`() async throws {
        try await withPopulatedSchool { populated in
            try populated.school.letClockProveRight()
            let questions: [Statement] = [
                "select name as label from school.migration",
                "select is_only::text as label from school.applied_schema",
                "select name as label from school.applied_object",
                "select team_id as label from school.deployment_team",
                "select key_id as label from school.deployment_key",
                "select bundle_id as label from school.deployment_bundle",
                "select is_only::text as label from school.pseudonym_key",
                "select key_id as label from school.signing_key",
                "select is_only::text as label from school.clock",
                "select running_milliseconds::text as label from school.clock_look",
            ]
            for question in questions {
                let all = try populated.labels(question)
                #expect(!all.isEmpty)
                for standing in Standing.allCases {
                    #expect(try populated.labels(question, as: populated.caller(standing)).isEmpty)
                }
                let login = Identity(role: "school_server")
                #expect(try populated.labels(question, as: login).isEmpty)
            }
        }
    }
}

/// Namespace of the rows, by feature.
enum PolicyTable {
    /// The standings that read the whole directory.
    static let directoryReaders: [Standing] =
        Standing.directoryManagers + [.manager, .contentManager]
}
