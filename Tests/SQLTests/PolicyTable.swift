import Postgres
import School
import Testing

/// One row of the table of policies: a table, all its rows by their labels, and which of them each standing
/// sees. A standing that is not named sees none.
struct PolicyRow: CustomTestStringConvertible, Sendable {
    /// What a standing sees.
    enum Seen: Sendable {
        /// All of Hillside.
        case all
        case only(Set<String>)
    }

    let table: String
    /// Asks for a label of each row.
    let labels: Statement
    let hillside: Set<String>
    let elsewhere: Set<String>
    private let seen: [Standing: Seen]

    var testDescription: String { table }

    init(
        _ table: String, _ labels: Statement, hillside: Set<String>, elsewhere: Set<String>,
        seenBy: KeyValuePairs<[Standing], Seen> = [:]
    ) {
        self.table = table
        self.labels = labels
        self.hillside = hillside
        self.elsewhere = elsewhere
        var seen: [Standing: Seen] = [:]
        for (standings, what) in seenBy {
            for standing in standings { seen[standing] = what }
        }
        self.seen = seen
    }

    func visible(to standing: Standing) -> Set<String> {
        switch seen[standing] {
        case nil: []
        case .all: hillside
        case .only(let labels): labels
        }
    }
}

/// The tables at the top of the files of `SQL/policies`, asked of a real database.
@Suite struct Policies {
    static let rows =
        PolicyTable.access + PolicyTable.directory + PolicyTable.terms + PolicyTable.catalog
        + PolicyTable.progress + PolicyTable.handoutPasts + PolicyTable.records
        + PolicyTable.licences + PolicyTable.thumbnails

    @Test(arguments: rows)
    func `everybody sees of a table what its row says, and nothing without an identity`(
        row: PolicyRow
    ) async throws {
        try await withPopulatedSchool { populated in
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

    /// Are about the deployment and no organization; nobody but the owner has any business there.
    static let deploymentTables: Set<String> = [
        "migration", "applied_schema", "applied_object", "deployment_team", "deployment_key",
        "deployment_bundle",
    ]

    @Test func `what is about the deployment is the owner's alone`() async throws {
        try await withPopulatedSchool { populated in
            let questions: [Statement] = [
                "select name as label from school.migration",
                "select is_only::text as label from school.applied_schema",
                "select name as label from school.applied_object",
                "select team_id as label from school.deployment_team",
                "select key_id as label from school.deployment_key",
                "select bundle_id as label from school.deployment_bundle",
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
    /// Whoever reads the whole directory.
    static let directoryReaders: [Standing] =
        Standing.directoryManagers + [.manager, .contentManager]
}
