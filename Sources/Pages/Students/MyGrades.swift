import JSONBytes
import Values

/// `/grades`: what other systems of the school graded of the student's work, class by class.
enum MyGrades: Screen {
    static var pages: [Page] {
        [.show("/grades", for: .student, load: load, render: view)]
    }

    struct Content: Sendable {
        let items: [GradedItem]
        /// By class; those whose name is known first, by name.
        let classes: [(id: String, name: String?, grades: [Grade])]
        let isMore: Bool
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let items = GradeLists.items("/v1/graded-items", visit.api)
        async let found = GradeLists.grades("/v1/grades", visit.api)
        let (grades, isMore) = try await found
        let classes = Dictionary(grouping: grades, by: \.classID).map { id, grades in
            (id: id, name: grades.lazy.compactMap(\.className).first, grades: grades)
        }
        return try await Content(
            items: items,
            classes: classes.sorted {
                ($0.name == nil ? 1 : 0, $0.name ?? "", $0.id)
                    < ($1.name == nil ? 1 : 0, $1.name ?? "", $1.id)
            }, isMore: isMore)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(GradesText.title)) {
            div {
                studentPath(texts, [("/progress", texts(MyProgressText.title))])
                heading(texts(GradesText.title), below: .text(texts(GradesText.below)))
            }
            if content.isMore { notice(.warn, .warn) { p { texts(GradesText.tooMany) } } }
            if content.classes.isEmpty {
                emptyBox(texts(GradesText.emptyTitle), texts(GradesText.emptyMine))
            }
            for item in content.classes {
                let name = item.name ?? texts(GradesText.elsewhere)
                section(.class("stack")) {
                    h2(.dirAuto) { name }
                    gradeTable(item.grades, of: content.items, visit, label: name)
                }
            }
        }
    }
}
