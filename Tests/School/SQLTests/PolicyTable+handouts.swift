import Postgres
import School
import TestKit

extension PolicyTable {
    /// Nobody reads past locks, and past times of having been given a handout.
    static let handoutPasts: [PolicyRow] = [
        PolicyRow(
            "handout_lock", "select test.called(handout_id) as label from school.handout_lock",
            hillside: ["published"], elsewhere: ["rivers"]),
        PolicyRow(
            "former_recipient",
            "select test.called(handout_id) as label from school.former_recipient",
            hillside: ["for sam"], elsewhere: ["rivers"]),
    ]
}
