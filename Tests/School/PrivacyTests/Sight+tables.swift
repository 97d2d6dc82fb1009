import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// What plain SQL shows under the role of each standing: every table of progress, without any condition.
enum ProgressTable {
    struct Row {
        let table: StaticString
        let record: Record
        /// Columns `first`, `second` (ids or null), `number` and `text` (or null).
        let statement: Statement
    }

    /// One for each table that records what a person was given or did.
    static let all: [Row] = [
        Row(
            table: "handout", record: .handout,
            statement: """
                select handout_id as first, null::uuid as second, 0 as number, '' as text
                  from school.handout
                """),
        // Students chosen before the handout went to the whole class stay recorded, for what counted by then.
        Row(
            table: "handout_recipient", record: .recipient,
            statement: """
                select r.handout_id as first, r.person_id as second, 0 as number, '' as text
                  from school.handout_recipient as r
                 where not exists (select from school.handout as h
                                    where h.organization_id = r.organization_id
                                      and h.handout_id = r.handout_id and h.recipients = 'class')
                """),
        Row(
            table: "task", record: .task,
            statement: """
                select task_id as first, null::uuid as second, 0 as number, '' as text from school.task
                """),
        Row(
            table: "assignment", record: .assignment,
            statement: """
                select task_id as first, person_id as second,
                       case when opened_at is null then 0 else 1 end
                           + case when done_at is null then 0 else 2 end
                           + case when returned_at is null then 0 else 4 end
                           + case when is_to_try_again then 8 else 0 end as number,
                       coalesce(return_note, '') as text
                  from school.assignment
                """),
        Row(
            table: "activity", record: .activity,
            statement: """
                select activity_id as first, person_id as second, 0 as number, '' as text
                  from school.activity
                """),
        Row(
            table: "activity_item", record: .activityItem,
            statement: """
                select activity_id as first, person_id as second, coalesce(score::int, 0) as number,
                       task_id::text || title as text from school.activity_item
                """),
        Row(
            table: "activity_assignment", record: .count,
            statement: """
                select activity_id as first, person_id as second, duration_seconds::int as number,
                       task_id::text as text from school.activity_assignment
                """),
        Row(
            table: "assignment_figures", record: .figures,
            statement: """
                select task_id as first, person_id as second, attempts as number,
                       round(duration_sum)::text as text from school.assignment_figures
                """),
        Row(
            table: "context", record: .ownContext,
            statement: """
                select person_id as first, null::uuid as second, 0 as number, title as text
                  from school.context where kind = 'native' and identifier_path <> '{}'
                """),
    ]

    /// Tables that name a handout, a task or an activity, and of which some role may read something.
    static let inCatalogue: Statement = """
        select c.relname::text as name
          from pg_class as c
         where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
           and not c.relispartition
           and (exists (select from pg_attribute as a
                         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                           and a.attname ~ '^(handout|task|activity|assignment)_ids?$')
                or exists (select from pg_constraint as f
                            where f.conrelid = c.oid and f.contype = 'f'
                              and f.confrelid in ('school.handout'::regclass, 'school.task'::regclass,
                                                  'school.activity'::regclass,
                                                  'school.assignment'::regclass)))
           and exists (select from pg_roles as r
                        where r.rolname like 'school%' and r.rolname <> 'school_owner'
                          and has_any_column_privilege(r.oid, c.oid, 'select'))
        """

    /// All of them at once; `place` is the row of `all`.
    static let everything = all.dropFirst().enumerated().reduce(
        "select 0 as place, t.* from (\(fragment: all[0].statement)) as t" as Statement
    ) { whole, next in
        """
        \(fragment: whole)
        union all select \(Int32(next.offset + 1)), t.* from (\(fragment: next.element.statement)) as t
        """
    }
}

extension RandomSchool {
    /// Queries every table of progress as everyone.
    func lookIntoTables() throws {
        for (name, viewer) in Onlooker.viewers {
            try lookIntoTables(name, viewer, caller(for: viewer))
            if case .teacher = viewer { try tryWithoutRight(name, viewer) }
            try tryToLaunch(name, viewer, caller(for: viewer))
        }
        try lookIntoTables("the exporter", .exporter, caller(Standing.exporter))
        for standing in Standing.allCases
        where ![.teacher, .student, .exporter].contains(standing) {
            let own =
                standing == .app
                ? oracle.own(seenByApp: Cast.apps[0], of: Cast.students[0], in: .production) : []
            try lookIntoTables("\(standing)", .other, caller(standing), own: own)
        }
        for (name, caller) in strangers {
            try lookIntoTables(name, .other, caller)
        }
        try lookAsSystems()
        try lookAsTools()
        try lookIntoReviews()
        try lookIntoComments()
        try lookIntoPoints()
    }

    /// What no policy protects, only a function itself: changing what is out of sight.
    private func tryWithoutRight(_ name: String, _ viewer: Viewer) throws {
        let visible = oracle.handouts(seenBy: viewer)
        let hidden = tasks.filter { !visible.contains($0.key.handout) }.sorted { $0.key < $1.key }
        let students = people[Cast.students[0]].map { $0.uuid }
        let rows = try service.sql(
            """
            select t.task_id as id
              from unnest(\(hidden.map { handouts[$0.key.handout]?.uuid }), \(hidden.map { $0.value.uuid as UUID? }))
                   as t (handout_id, task_id)
             where school.return_assignment(t.handout_id, t.task_id, \(students), 'mine', false)
                or school.take_return_back(t.handout_id, t.task_id, \(students))
                or school.delete_handout(t.handout_id, null)
            """, as: caller(for: viewer))
        for row in rows {
            findings.append(
                "\(name) changes \(self.name(try row.uuid("id"))), which is out of sight")
        }
    }

    /// - Parameter own: contexts that apps saved, which an app also sees.
    private func lookIntoTables(
        _ name: String, _ viewer: Viewer, _ caller: Caller, own: Set<String> = []
    ) throws {
        let seen = try labels(ofAll: caller)
        for (index, row) in ProgressTable.all.enumerated() {
            let more = row.record == .ownContext ? own : []
            compare(
                seen[index], oracle.records(row.record, seenBy: viewer).union(more), name,
                "table \(row.table)")
        }
    }

    /// The meaning of the rows of each table. A caller who may not ask for all of them at once asks for one at a time.
    private func labels(ofAll caller: Caller) throws -> [Set<String>] {
        guard let rows = try rows(ProgressTable.everything, as: caller) else {
            return try ProgressTable.all.map { row in
                Set(try rows(row.statement, as: caller)?.map { try label($0, row.record) } ?? [])
            }
        }
        var labels = ProgressTable.all.map { _ in Set<String>() }
        for row in rows {
            let index = try row.int("place")
            labels[index].insert(try label(row, ProgressTable.all[index].record))
        }
        return labels
    }

    /// `nil` if the standing may not even ask.
    func rows(_ statement: Statement, as caller: Caller) throws -> Rows? {
        do {
            return try service.sql(statement, as: caller)
        } catch let error as PostgresError where error.sqlState == "42501" {
            return nil
        }
    }

    private func label(_ row: Row, _ record: Record) throws -> String {
        let first = try row.uuid("first")
        let second = try row.optionalUUID("second")
        let person = PersonName(second.map(name) ?? "")
        let number = try row.int("number")
        switch record {
        case .handout, .task: return name(first)
        case .recipient: return "\(name(first)) to \(person)"
        case .assignment:
            return Wording.assignment(
                TaskName(name(first)), person,
                Noted(
                    isOpened: number & 1 > 0, isDone: number & 2 > 0,
                    givenBack: number & 4 == 0
                        ? nil
                        : GivenBack(
                            edition: mark.edition(try row.text("text")) ?? Mark.foreign,
                            isToTryAgain: number & 8 > 0)))
        case .activity: return "\(activity(first, of: person))"
        case .activityItem:
            let text = try row.text("text")
            return Wording.item(
                activity(first, of: person), task(text.prefix(36)),
                edition: edition(titled: String(text.dropFirst(36)), score: number))
        case .ownContext:
            return Wording.own(
                PersonName(name(first)), edition: mark.edition(try row.text("text")) ?? Mark.foreign
            )
        case .figures:
            return Wording.figures(
                TaskName(name(first)), person, attempts: number,
                seconds: Int(try row.text("text")) ?? -1)
        case .count:
            return Wording.count(
                activity(first, of: person), task(try row.text("text")), seconds: number)
        }
    }

    private func task(_ id: some StringProtocol) -> TaskName {
        TaskName(UUID(String(id)).map(name) ?? "")
    }

    /// The name behind an id.
    func name(_ id: UUID) -> String { names[id] ?? "something of another school, \(id)" }

    // MARK: Callers

    func caller(for viewer: Viewer) -> Caller {
        switch viewer {
        case .teacher(let name, let world): caller(.teacher, name, world)
        case .student(let name, let world): caller(.student, name, world)
        case .exporter, .other: caller(Standing.exporter)
        }
    }

    private func caller(
        _ standing: Standing, _ person: PersonName, _ world: World
    ) -> Caller {
        Caller(
            organizationID: organization, personID: people[person], standings: [standing],
            environment: School.Environment(rawValue: world.rawValue) ?? .production)
    }

    /// A person with that standing and no other.
    func caller(_ standing: Standing) -> Caller {
        switch standing {
        case .exporter, .provisioner, .rosterReader, .directoryWriter, .tool:
            Caller(organizationID: organization, personID: nil, standings: [standing])
        case .developer:
            Caller(
                organizationID: organization, personID: nil, standings: [standing], team: "TEAM")
        case .app:
            Caller(
                organizationID: organization, personID: people[Cast.students[0]],
                standings: [standing], app: Cast.apps[0])
        default:
            Caller(
                organizationID: organization, personID: people[Cast.administrator],
                standings: [standing])
        }
    }

    /// Everyone who asks from another organization with ids of this one.
    var strangers: [(String, Caller)] {
        let elsewhere = service.elsewhere
        return [
            (
                "a teacher of another organization",
                Caller(
                    organizationID: elsewhere, personID: people[Cast.teachers[0]],
                    standings: [.teacher])
            ),
            (
                "a student of another organization",
                Caller(
                    organizationID: elsewhere, personID: people[Cast.students[0]],
                    standings: [.student])
            ),
            (
                "the exporter of another organization",
                Caller(organizationID: elsewhere, personID: nil, standings: [.exporter])
            ),
        ]
    }
}
