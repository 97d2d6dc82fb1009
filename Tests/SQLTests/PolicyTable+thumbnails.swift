import Postgres
import School
import TestKit

extension PolicyTable {
    static let thumbnails: [PolicyRow] = [
        PolicyRow(
            "thumbnail",
            """
            select test.called(organization_id) || ': ' || thumbnail_id as label from school.thumbnail
            """,
            hillside: ["Hillside: published", "Hillside: for sue", "Hillside: of Reader"],
            elsewhere: ["Elsewhere: elsewhere"],
            seenBy: [
                [.administrator, .contentManager, .teacher]: .all,
                [.student]: .only(["Hillside: published"]),
                [.developer]: .only(["Hillside: published", "Hillside: for sue"]),
            ]),
        PolicyRow(
            "thumbnail_upload",
            """
            select test.called(organization_id) || ': ' || team_id as label from school.thumbnail_upload
            """,
            hillside: ["Hillside: QUIZ", "Hillside: READ"], elsewhere: ["Elsewhere: QUIZ"],
            seenBy: [[.developer]: .only(["Hillside: QUIZ"])]),
    ]
}
