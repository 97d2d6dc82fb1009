import Postgres
import School
import TestKit
import Values

/// Random numbers that are the same in every run (SplitMix64).
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension TestSchool {
    /// A moment ago, cut to the minute, so that parts tie.
    func minute(_ minutes: Int) -> Timestamp {
        Timestamp(milliseconds: ago(minutes).milliseconds / 60_000 * 60_000)
    }

    /// Everything stored but the moments of storing.
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

    /// Activities of which a link says otherwise than their parts and primary items do.
    func toldOtherwise() throws -> [String] {
        try sql("select id from school.check_progress_differs(\(hillside), null) as f (id)")
            .map { try $0.text("id") }
    }
}
