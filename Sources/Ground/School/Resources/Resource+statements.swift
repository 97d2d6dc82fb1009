import Postgres
import Values

/// The parts of a resource's statements that never change.
struct Selections: Sendable {
    /// For one row: `select … from school.course`.
    let alone: Statement
    /// For the rows of a list, which have no ETags.
    let listed: Statement
    /// The same up to `from`, for rows that are found in another way.
    let head: Statement
    let joins: Statement?
    /// For a row that is locked: `id`, `version` and the columns.
    let locked: Statement

    /// - Parameter hasClientKey: answers contain such a key under its own name, too.
    init<Entity: ResourceEntity>(
        of entity: Entity.Type, _ row: AnsweredRow, hasClientKey: Bool, version: Statement,
        locked: [Statement], joins: Statement?
    ) {
        let version: [Statement] = ["\(fragment: version) as version"]
        func selection(_ parts: [Statement]) -> Statement {
            let selection = row.select(parts)
            return joins.map { "\(fragment: selection)\n \(fragment: $0)" } ?? selection
        }
        let key: Statement = "\(fragment: row.table).\(fragment: Entity.key)"
        let keys: [Statement] = ["\(fragment: key) as id"] + (hasClientKey ? [key] : [])
        let own = keys + row.columns.map { $0.shown(from: row.table) }
        let stored = keys + row.columns.map { $0.selected(from: row.table) }
        let listed = row.computed.filter { !$0.isAloneOnly }
        let alone = row.computed.filter { !$0.isListedOnly }
        self.alone = selection(own + alone.map(\.expression) + row.stamps + version)
        let shown = own + listed.map(\.expression) + row.stamps
        self.listed = selection(shown)
        head = row.head(shown)
        self.joins = joins
        self.locked = selection(stored + locked + version)
    }
}

// MARK: Reading

extension Resource {
    /// `select … from school.course`, as in lists, to be followed by the feature's own conditions and order.
    package var selection: Statement { selections.listed }

    private var table: Statement { Entity.table }
    private var keyColumn: Statement { Entity.key }

    /// The row with the columns of an answer.
    package func find(_ name: RowName<Entity>, of organization: OrganizationID) -> Statement {
        """
        \(fragment: selections.alone)
         where \(fragment: isNamed(name, organization))
        """
    }

    /// The row with all its columns, locked until the transaction ends.
    package func lock(_ name: RowName<Entity>, of organization: OrganizationID) -> Statement {
        """
        \(fragment: selections.locked)
         where \(fragment: isNamed(name, organization))
           for \(fragment: lockedFor) of \(fragment: table)
        """
    }

    /// A page ordered by the key; for ids, that is the order of creation.
    ///
    /// - Parameters:
    ///   - standing: whose list it is, if lists of some begin at what they may reach.
    ///   - conditions: each begins with `and`.
    package func list(
        of organization: OrganizationID, for standing: Standing? = nil, _ conditions: [Statement],
        after: Entity.Key?, limit: Int
    ) -> Statement {
        let key: Statement = "\(fragment: table).\(fragment: keyColumn)"
        let next: Statement? = after.map { "and \(fragment: key) > \($0)" }
        if let reach = standing.flatMap(reach) {
            return list(
                of: organization, reaching: reach, conditions,
                ListOrder(columns: key, next: next, isByKey: true), limit: limit)
        }
        return """
            \(fragment: selections.listed)
             where \(fragment: table).organization_id = \(organization)
                   \(fragment: (conditions + [next].compactMap(\.self)).joined(by: " "))
             order by \(fragment: key) limit \(limit)
            """
    }

    /// A page ordered by the name, as a dictionary would, and then by the key.
    ///
    /// - Parameters:
    ///   - standing: whose list it is, if lists of some begin at what they may reach.
    ///   - conditions: each begins with `and`.
    ///   - after: the last row of the page before.
    func listByName(
        of organization: OrganizationID, for standing: Standing? = nil, _ conditions: [Statement],
        after: (name: String, key: Entity.Key)?, limit: Int
    ) -> Statement {
        let order: Statement = """
            \(fragment: table).name collate "und-x-icu", \(fragment: table).\(fragment: keyColumn)
            """
        let next: Statement? = after.map { "and (\(fragment: order)) > (\($0.name), \($0.key))" }
        if let reach = standing.flatMap(reach) {
            return list(
                of: organization, reaching: reach, conditions,
                ListOrder(columns: order, next: next), limit: limit)
        }
        return """
            \(fragment: selections.listed)
             where \(fragment: table).organization_id = \(organization)
                   \(fragment: (conditions + [next].compactMap(\.self)).joined(by: " "))
             order by \(fragment: order) limit \(limit)
            """
    }

    /// Those of the rows with these keys that the caller may read, in no order.
    func listed(_ keys: [UUID], of organization: OrganizationID) -> Statement {
        """
        \(fragment: selections.listed)
         where \(fragment: table).organization_id = \(organization)
           and \(fragment: table).\(fragment: keyColumn) = any (\(keys))
        """
    }

    private func isNamed(_ name: RowName<Entity>, _ organization: OrganizationID) -> Statement {
        let own: Statement =
            switch name {
            case .id(let id): "\(fragment: table).\(fragment: keyColumn) = \(id)"
            case .source(let source): "\(fragment: table).source_id = \(source)"
            }
        let condition: Statement = """
            \(fragment: table).organization_id = \(organization) and \(fragment: own)
            """
        return current.map { "\(fragment: condition)\n   and \(fragment: $0)" } ?? condition
    }
}

extension Resource where Entity: Referable {
    /// The row with all its columns, locked until the transaction ends.
    package func lock(
        _ reference: Reference<Entity>, of organization: OrganizationID
    ) -> Statement {
        lock(RowName(reference), of: organization)
    }
}

// MARK: Writing

extension Resource {
    package func insert(_ draft: Draft<Entity>, to organization: OrganizationID) -> Statement {
        let columns = columns.map(\.name) + draft.extras.map(\.name)
        let values = (draft.values + draft.extras.map(\.value)).map { "\($0)" as Statement }
        return """
            insert into school.\(fragment: table)
                   (organization_id, \(fragment: keyColumn), \(fragment: columns.joined(by: ", ")))
            values (\(organization), \(draft.id), \(fragment: values.joined(by: ", ")))
            """
    }

    package func update(_ draft: Draft<Entity>, of organization: OrganizationID) -> Statement {
        let own = zip(columns.map(\.name), draft.values).map { Self.assignment($0, $1) }
        let more = draft.extras.map { Self.assignment($0.name, $0.value) }
        return """
            update school.\(fragment: table)
               set \(fragment: (own + more).joined(by: ", "))
             where organization_id = \(organization) and \(fragment: keyColumn) = \(draft.id)
            """
    }

    private static func assignment(_ name: Statement, _ value: PostgresValue) -> Statement {
        "\(fragment: name) = \(value)"
    }

    package func delete(_ id: Entity.Key, of organization: OrganizationID) -> Statement {
        """
        delete from school.\(fragment: table)
         where organization_id = \(organization) and \(fragment: keyColumn) = \(id)
        """
    }

    /// Creates and replaces rows by their source ids. They are locked in a fixed order, so that two batches never
    /// deadlock.
    ///
    /// - Parameter rows: objects with `position`, `id` and the columns.
    package func putAll(_ rows: JSONDocument, of organization: OrganizationID) -> Statement {
        let names = columns.map(\.name)
        let types = columns.map { "\(fragment: $0.name) \(fragment: $0.sqlType)" as Statement }
        func of(_ row: Statement) -> Statement {
            names.map { "\(fragment: row).\(fragment: $0)" as Statement }.joined(by: ", ")
        }
        let assignments = names.map { "\(fragment: $0) = s.\(fragment: $0)" as Statement }
        return """
            with sent as (
                select * from jsonb_to_recordset(\(rows))
                    as s (position integer, id uuid, \(fragment: types.joined(by: ", ")))
            ), known as materialized (
                select s.position, t.\(fragment: table)_id as id,
                       (\(fragment: of("t"))) is distinct from (\(fragment: of("s"))) as differs
                  from sent as s
                  join school.\(fragment: table) as t
                    on t.organization_id = \(organization) and t.source_id = s.source_id
                 order by t.\(fragment: table)_id for no key update of t
            ), changed as (
                update school.\(fragment: table) as t
                   set \(fragment: assignments.joined(by: ", "))
                  from sent as s join known as k using (position)
                 where t.organization_id = \(organization) and t.\(fragment: table)_id = k.id and k.differs
            ), made as (
                insert into school.\(fragment: table)
                       (organization_id, \(fragment: table)_id, \(fragment: names.joined(by: ", ")))
                select \(organization), s.id, \(fragment: of("s")) from sent as s
                 where s.position not in (select k.position from known as k)
                 order by s.source_id
                on conflict on constraint \(fragment: table)_source_id_is_unique do nothing
                returning \(fragment: table)_id as id
            )
            select k.position, k.id, case when k.differs then 'updated' else 'unchanged' end as outcome
              from known as k
            union all
            select s.position, m.id, 'created' from made as m join sent as s on s.id = m.id
            """
    }
}
