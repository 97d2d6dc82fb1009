import API
import Postgres
import School
import Values

/// What a table contains beside its report, since it leaves the service: the names that people and the school's other
/// systems know, for the columns of ids in the report `r`.
struct ReportNames {
    var handout: Statement = "null::uuid"
    var task: Statement = "null::uuid"
    /// The class, if it is not the handout's.
    var taught: Statement = "null::uuid"
    var person: Statement = "null::uuid"

    static let student = ReportNames(handout: "r.handout_id", person: "r.person_id")

    /// The name of the table's file: class and handout, or the student, and the day.
    static func file(_ rows: Rows, _ outline: ReportOutline) throws -> String {
        let row = rows[0]
        let title = try outline.title.map { try $0.text(in: row) }
        return FileName.joined(title + ["\(try row.day("day"))"], extension: "csv")
    }
}

extension Statement {
    /// The rows of a report with their names, in the same order.
    static func named(
        _ report: Statement, by names: ReportNames, for caller: Caller
    ) -> Statement {
        """
        select r.*, c.name as "class", h.title as "handout", p.source_id,
               p.managed_id, t.title as "task",
               (school.moment() at time zone o.time_zone)::date as "day"
          from (select q.*, row_number() over () as nth from (\(fragment: report)) as q) as r
          join school.organization as o on o.organization_id = \(caller.organizationID)
          left join school.handout as h
                 on h.organization_id = o.organization_id and h.handout_id = \(fragment: names.handout)
          left join school.class as c
                 on c.organization_id = o.organization_id
                and c.class_id = coalesce(h.class_id, \(fragment: names.taught))
          left join school.task as t
                 on t.organization_id = o.organization_id and t.task_id = \(fragment: names.task)
          left join school.person as p
                 on p.organization_id = o.organization_id and p.person_id = \(fragment: names.person)
         order by r.nth
        """
    }
}
