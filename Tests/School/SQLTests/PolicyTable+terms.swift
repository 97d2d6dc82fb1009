import Postgres
import School
import TestKit

extension PolicyTable {
    static let terms: [PolicyRow] = [
        PolicyRow(
            "term", "select test.called(term_id) as label from school.term",
            hillside: ["year", "semester"], elsewhere: ["year elsewhere"],
            seenBy: [directoryReaders + [.teacher, .student, .exporter, .rosterReader]: .all])
    ]
}
