import JSONBytes
import Values

/// `/classes/{id}/students/{person}/grades`: the grades of one student in a class, with their comments.
enum StudentGrades: Screen {
    static var pages: [Page] {
        [.show("/classes/{id}/students/{person}/grades", for: .teacher, load: load, render: view)]
    }

    struct Content: Sendable {
        let schoolClass: Side.SchoolClass?
        let student: HandoutReport.Student
        let items: [GradedItem]
        let grades: [Grade]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let (id, person) = (visit["id"], visit["person"])
        // First those whom the page is about: lists of what is out of sight are empty.
        let schoolClass = try await visit.api.get("/v1/classes/\(id)")
        let student = try await visit.api.get("/v1/people/\(person)")
        async let items = GradeLists.items("/v1/graded-items?classId=\(id)", visit.api)
        async let grades = GradeLists.grades(
            "/v1/grades?classId=\(id)&personId=\(person)", visit.api)
        return try await Content(
            schoolClass: Side.SchoolClass(schoolClass),
            student: HandoutReport.Student(person: student), items: items, grades: grades.0)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let (id, person) = (visit["id"], visit["person"])
        let name = content.schoolClass?.name ?? ""
        return View(content.student.name) {
            div {
                crumbs(
                    [("/classes/\(id)", name), ("/classes/\(id)/grades", texts(GradesText.tab))],
                    texts)
                heading(
                    content.student.name,
                    below: texts.html(GradesText.work, ["class": written(name)])
                ) {
                    a(.class("button"), .href("/classes/\(id)/students/\(person)")) {
                        texts(ClassText.progress)
                    }
                    printButton(texts)
                }
            }
            if content.grades.isEmpty {
                emptyBox(texts(GradesText.emptyTitle), texts(GradesText.emptyOfStudent))
            } else {
                gradeTable(
                    content.grades, of: content.items, visit, label: texts(GradesText.allWork))
            }
        }
    }
}
