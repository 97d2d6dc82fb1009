import Cluster
import JSONBytes
import Postgres

extension Subcommand {
    static let upgradeDatabase = Subcommand(
        "upgrade-database", "Takes the private PostgreSQL to a newer major version, or back.",
        options: [
            .optional("to", "MAJOR", "The version; the newest that is installed by default."),
            .flag("check", "Says whether it can be done, and leaves the data as it is."),
            .flag("undo", "Goes back to the data as it was before the upgrade."),
            .flag("discard-changes", "With --undo: even if that loses what was written since."),
            .flag(
                "finish",
                "Deletes the data as it was before the upgrade; the service may run meanwhile."),
            .json,
        ]
    ) { invocation in
        let ways = ["check", "undo", "finish"].filter(invocation.has)
        guard ways.count < 2, ways == ["undo"] || !invocation.has("discard-changes"),
            ways.isEmpty || ways == ["check"] || !invocation.has("to")
        else {
            throw UsageError(
                description: "Only one of --check, --undo and --finish can be done at a time; "
                    + "--to goes with --check, --discard-changes with --undo.")
        }
        let upgrade = try DatabaseUpgrade(invocation, isAlone: ways != ["finish"])
        switch ways.first {
        case "undo": try upgrade.undo()
        case "finish": try upgrade.finish()
        default: try upgrade.run()
        }
    }
}

/// One call of `homeroom upgrade-database`.
private struct DatabaseUpgrade {
    private let invocation: Invocation
    /// The version to upgrade to; `nil` for the newest.
    private let wanted: Int?
    private let upgrade: ClusterUpgrade

    init(_ invocation: Invocation, isAlone: Bool) throws {
        let settings = invocation.settings
        guard settings.databaseURL == nil else {
            throw CommandFailure(
                """
                This is for the private PostgreSQL, and HOMEROOM_DATABASE_URL names another. Upgrade \
                that one as its own documentation says, then run homeroom reindex.
                """)
        }
        self.invocation = invocation
        wanted = try invocation.value("to").map { text in
            guard let major = Int(text), major > 0 else {
                throw UsageError(description: "--to should be a major version, such as 17.")
            }
            return major
        }
        upgrade = try ClusterUpgrade(
            of: settings.dataFolder, account: settings.clusterAccount(),
            access: Installation.access, isAlone: isAlone,
            log: settings.commandLog)
    }

    func run() throws {
        let onlyChecks = invocation.has("check")
        let definitions = try Definitions(folder: Definitions.folder(invocation.settings))
        let major = try upgrade.run(
            to: wanted, onlyChecks: onlyChecks,
            before: { target in
                let connection = try Installation.ownerConnection(target)
                _ = try Migrator(definitions: definitions).migrate(connection)
                return try DatabaseState(connection)
            },
            after: { target, before in
                let connection = try Installation.ownerConnection(target)
                // pg_upgrade copies indexes as they are and notes the collations of the new programs, whose order may
                // be another.
                _ = try CollatedIndexes(connection).rebuild(all: true)
                try connection.execute("analyze")
                try DatabaseState(connection).compare(with: before)
            }, say: { complain($0) })
        if onlyChecks {
            complain("PostgreSQL \(major) takes the data of PostgreSQL \(upgrade.major).")
            return report(upgrade.major)
        }
        complain(
            """
            The data is of PostgreSQL \(major) now. Start the service. When all is well, delete the old \
            data with homeroom upgrade-database --finish; until then --undo goes back.
            """)
        report(major)
    }

    func undo() throws {
        report(try upgrade.undo(discardsChanges: invocation.has("discard-changes")))
    }

    func finish() throws {
        _ = try upgrade.finish()
        report(upgrade.major)
    }

    /// The version of the data in use, and where the data from before the upgrade is.
    private func report(_ major: Int) {
        let kept = ClusterUpgrade.kept(in: invocation.settings.dataFolder)
        invocation.report([
            ("version", .number(JSONNumber(Int64(major)))),
            ("kept", kept.map(JSONValue.text) ?? .null),
        ])
    }
}

/// What a database holds and what is wrong with it.
private struct DatabaseState {
    /// The number of rows of each table.
    private let counts: [String: Int]
    /// The codes of the errors that the doctor finds.
    private let errors: Set<String>

    init(_ connection: BlockingConnection) throws {
        try connection.execute(
            """
            create or replace function pg_temp.row_count(name text) returns bigint language plpgsql as $$
            declare
                found bigint;
            begin
                execute format('select count(*) from school.%I', name) into found;
                return found;
            end $$
            """)
        let rows = try connection.query(
            """
            select relname::text as name, pg_temp.row_count(relname) as count from pg_class
             where relnamespace = 'school'::regnamespace and relkind = 'r'
            """)
        counts = Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.text("name"), try $0.int("count")) })
        let findings = try connection.query(.deploymentChecks).filter { row in
            try row.optionalText("said") != nil && row.text("severity") == "error"
        }
        errors = Set(try findings.map { try $0.text("code") })
    }

    /// Throws if this database lacks rows of the other, or has errors that the other does not have.
    func compare(with other: DatabaseState) throws {
        let names = Set(counts.keys).union(other.counts.keys)
        let different = names.filter { counts[$0] != other.counts[$0] }.sorted()
        guard different.isEmpty else {
            throw CommandFailure(
                "The new data differs in \(different.joined(separator: ", ")). The old data stays in use."
            )
        }
        let found = errors.subtracting(other.errors).sorted()
        guard found.isEmpty else {
            throw CommandFailure(
                """
                The doctor finds errors in the new data: \(found.joined(separator: ", ")). The old data \
                stays in use.
                """)
        }
    }
}
