import Postgres
import School
import TestKit

extension PolicyTable {
    static let licences: [PolicyRow] = [
        PolicyRow(
            "app", "select name as label from school.app",
            hillside: ["Quizzler", "Novel"], elsewhere: ["Quizzler elsewhere"],
            seenBy: [
                [.administrator, .contentManager]: .all,
                [.student]: .only(["Quizzler", "Novel"]),
            ]),
        PolicyRow(
            "pool",
            "select test.called(location_id) || ': ' || adam_id as label from school.pool",
            hillside: ["Main building: 100", "Main building: 200"],
            elsewhere: ["Elsewhere's building: 100"],
            seenBy: [[.administrator, .contentManager]: .all]),
        PolicyRow(
            "licence", "select test.called(licence_id) as label from school.licence",
            hillside: ["licence of sam", "licence of a device", "book of sam"],
            elsewhere: ["licence of omar"],
            seenBy: [
                [.administrator, .contentManager]: .all,
                [.student]: .only(["licence of sam", "book of sam"]),
            ]),
    ]
}
