import Postgres
import School
import TestKit
import Values

extension TestSchool {
    /// A moment ago, cut to the minute, so that parts tie.
    func minute(_ minutes: Int) -> Timestamp {
        Timestamp(milliseconds: ago(minutes).milliseconds / 60_000 * 60_000)
    }

    /// Everything stored except the moments of storing.
    func state() throws -> String {
        try sql(
            """
            select concat_ws(E'\\n',
                (select string_agg(concat_ws('|', activity_id, identifier_path), E'\\n' order by activity_id)
                   from school.activity),
                (select string_agg(i::text, E'\\n' order by i::text) from school.activity_item as i),
                (select string_agg((to_jsonb(l) - 'created_at' - 'updated_at')::text, E'\\n'
                                   order by activity_id, task_id)
                   from school.activity_assignment as l),
                (select string_agg(p::text, E'\\n' order by p::text) from school.activity_part as p)) as state
            """)[0].text("state")
    }

    /// Activities whose links contradict their parts and primary items.
    func disagreeingFigures() throws -> [String] {
        try sql("select id from school.check_progress_differs(\(hillside), null) as f (id)")
            .map { try $0.text("id") }
    }
}
