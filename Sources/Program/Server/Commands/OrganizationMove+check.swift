import Postgres
import School
import Values

extension OrganizationMove {
    /// Throws the first reason why the organization cannot move, before anything is changed.
    func check() throws {
        try checkState()
        try checkSchema()
        for cell in [here, there] { try checkServer(cell) }
        _ = try mustTakeKeys()
        try checkNames()
    }

    private func checkState() throws {
        let rows = try here.connection.query(
            """
            select school.is_ending(organization_id) as is_ending from school.organization
             where organization_id = \(id) and not school.is_development(organization_id)
            """)
        guard let row = rows.first else {
            throw CommandFailure("There is no such organization.")
        }
        guard try !row.bool("is_ending") else {
            throw CommandFailure("The organization is to be deleted, so it does not move.")
        }
        guard try hasSchema(there) else { return }
        let (own, other) = (try here.state(of: id), try there.state(of: id))
        if own == .elsewhere, other != .elsewhere {
            throw CommandFailure(
                "The other cell serves the organization already. Use --finish or --back.")
        }
        if own != .elsewhere, other == .here || other == .readOnly {
            throw CommandFailure("The organization moves from the other cell to this one.")
        }
        if try other == nil && there.has(id) {
            throw CommandFailure("The other cell has this organization already.")
        }
    }

    private func hasSchema(_ cell: MovingCell) throws -> Bool {
        try cell.connection.query(
            "select to_regclass('school.organization_move') is not null as is_there")[0]
            .bool("is_there")
    }

    private func checkServer(_ cell: MovingCell) throws {
        let row = try cell.connection.query(
            """
            select current_setting('server_version_num')::integer as version,
                   current_setting('wal_level') as wal_level,
                   current_setting('max_replication_slots')::integer
                       - (select count(*) from pg_replication_slots) as slots
            """)[0]
        guard try row.int("version") >= 150_000 else {
            throw CommandFailure("\(cell.name) needs PostgreSQL 15 or newer.")
        }
        guard try row.text("wal_level") == "logical" else {
            throw CommandFailure(
                """
                \(cell.name) has wal_level = \(try row.text("wal_level")). A move needs wal_level = logical, which \
                takes a restart of PostgreSQL.
                """)
        }
        // One for the move, and one for each table that is being copied.
        guard try cell.slot(of: id) != .absent || row.int("slots") >= 3 else {
            throw CommandFailure(
                "\(cell.name) needs three free replication slots: raise max_replication_slots.")
        }
    }

    /// One server cannot follow itself.
    func checkDistinct() throws {
        let system: Statement =
            "select system_identifier::text as system from pg_control_system()"
        guard
            try here.connection.query(system)[0].text("system")
                != there.connection.query(system)[0].text("system")
        else { throw CommandFailure("Both addresses lead to the same PostgreSQL.") }
    }

    func checkSchema() throws {
        guard try hasSchema(there),
            try schemaDigest(here) == schemaDigest(there)
        else {
            throw CommandFailure(
                """
                The cells have different versions of Homeroom's schema. Run homeroom migrate of the same version in \
                both.
                """)
        }
    }

    private func schemaDigest(_ cell: MovingCell) throws -> String? {
        try cell.connection.query(
            "select encode(sha256, 'hex') as digest from school.applied_schema"
        ).first?.text("digest")
    }

    /// Whether the other cell has to take over the key from which pseudonyms are derived: with another key, every app
    /// would take each person for someone new. Throws if others there depend on theirs.
    private func mustTakeKeys() throws -> Bool {
        let digest: Statement =
            "select encode(sha256(key), 'hex') as digest from school.pseudonym_key"
        guard
            try here.connection.query(digest)[0].text("digest")
                != there.connection.query(digest)[0].text("digest")
        else { return false }
        let others = try there.connection.query(
            "select from school.organization where organization_id <> \(id) limit 1")
        guard others.count == 0 else {
            throw CommandFailure(
                """
                The other cell derives pseudonyms from another key, so apps would take everyone for someone new. Only \
                a cell without organizations takes the key over.
                """)
        }
        return true
    }

    /// Gives an empty cell this one's key for pseudonyms.
    func takeKeys() throws {
        guard try mustTakeKeys() else { return }
        let key = try here.connection.query("select key from school.pseudonym_key")[0].bytes("key")
        try there.connection.query("update school.pseudonym_key set key = \(key)")
    }

    /// Domains and managed IDs belong to one organization in the whole cell.
    private func checkNames() throws {
        let domains = try here.connection.query(
            "select domain from school.domain_directory where organization_id = \(id)"
        ).map { try $0.text("domain") }
        let taken = try there.connection.query(
            """
            select domain from school.domain_directory
             where domain = any (\(domains)) and organization_id <> \(id) order by domain limit 1
            """)
        if let domain = try taken.first?.text("domain") {
            throw CommandFailure(
                "In the other cell the domain \(domain) belongs to another organization.")
        }
        let names = try here.connection.query(
            "select managed_id from school.managed_id_directory where organization_id = \(id)"
        ).map { try $0.text("managed_id") }
        let used = try there.connection.query(
            """
            select managed_id from school.managed_id_directory
             where managed_id = any (\(names)) and organization_id <> \(id) order by managed_id limit 1
            """)
        if let name = try used.first?.text("managed_id") {
            throw CommandFailure("In the other cell the managed ID \(name) is taken.")
        }
    }
}
