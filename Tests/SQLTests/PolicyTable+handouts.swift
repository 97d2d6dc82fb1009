import Postgres
import School

extension PolicyTable {
    /// Nobody reads the times of locks that are over.
    static let handoutLocks: [PolicyRow] = [
        PolicyRow(
            "handout_lock", "select test.called(handout_id) as label from school.handout_lock",
            hillside: ["published"], elsewhere: ["rivers"])
    ]
}
