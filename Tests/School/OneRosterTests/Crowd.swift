import Postgres
import School
import Synchronization
import TestKit

extension TestSchool {
    /// People with a seat each, more than lie between two marks of an index.
    func addCrowd(_ numbers: ClosedRange<Int>) throws {
        try sql(
            """
            with classes as (
                insert into school.class (organization_id, class_id, location_id, name)
                select \(hillside), gen_random_uuid(), \(mainLocation), 'Crowd'
                  from generate_series(1, 3)
                returning class_id
            ), numbered as (
                select class_id, row_number() over () - 1 as number from classes
            ), made as (
                select gen_random_uuid() as id, 'crowd-' || lpad(n::text, 5, '0') as name, n
                  from generate_series(\(numbers.lowerBound)::integer, \(numbers.upperBound)::integer) as n
            ), reserved as (
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                select name || '@hillside.example', \(hillside), id from made
            ), born as (
                insert into school.person (organization_id, person_id, source_id, given_name, family_name, managed_id)
                select \(hillside), id, name, 'Crowd', 'Example', name || '@hillside.example' from made
            )
            insert into school.seat (organization_id, class_id, person_id, role, joined_at, recorded_at)
            select \(hillside), c.class_id, m.id, 'student', now() - interval '9 days',
                   now() - interval '9 days'
              from made as m join numbered as c on c.number = m.n % 3
            """)
    }

    /// Lets the first person of a crowd leave, if the last one has left, and the other way around: every place in between
    /// moves by one, and there are as many as before.
    func exchange(_ numbers: ClosedRange<Int>) throws {
        let names = [numbers.lowerBound, numbers.upperBound].map { number in
            "crowd-" + String(repeating: "0", count: 5 - "\(number)".count) + "\(number)"
        }
        try sql(
            """
            update school.person set deactivated_at = case when deactivated_at is null then now() end
             where organization_id = \(hillside) and source_id = any (\(names))
            """)
    }
}

/// Counts across tasks.
final class Turns: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    /// - Returns: how many there are by now.
    @discardableResult
    func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}
