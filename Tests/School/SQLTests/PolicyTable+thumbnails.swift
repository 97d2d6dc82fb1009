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
                [.developer, .app]: .only(["Hillside: published", "Hillside: for sue"]),
            ]),
        PolicyRow(
            "native_thumbnail",
            "select convert_from(bytes, 'UTF8') as label from school.native_thumbnail",
            hillside: ["native of sam", "native of sue", "shared by cora", "kept by cora"],
            elsewhere: ["elsewhere"],
            seenBy: [
                [.teacher]: .only(["shared by cora"]),
                [.student]: .only(["native of sam", "shared by cora"]),
                [.app]: .only(["native of sam"]),
            ]),
        PolicyRow(
            "removed_context", "select identifier_path[1] as label from school.removed_context",
            hillside: ["removed of Sam", "removed of Sue"], elsewhere: ["removed of Otto"],
            seenBy: [:]),
        PolicyRow(
            "thumbnail_upload",
            """
            select test.called(organization_id) || ': ' || team_id as label from school.thumbnail_upload
            """,
            hillside: ["Hillside: QUIZ", "Hillside: READ"], elsewhere: ["Elsewhere: QUIZ"],
            seenBy: [[.developer]: .only(["Hillside: QUIZ"])]),
    ]
}
