import JSONBytes
import Values

/// `/classes/{id}/grades`: what other systems of the school graded in a class, students as rows and work as columns.
enum ClassGrades: Screen {
    static var pages: [Page] {
        [.show("/classes/{id}/grades", for: .teacher, load: load, render: view)]
    }

    /// How many items are beside each other; the others are on further pages.
    static let columnsMax = 12

    struct Content: Sendable {
        let schoolClass: Side.SchoolClass?
        let items: [GradedItem]
        let grades: [Grade]
        let isMore: Bool
        let students: [RosterEntry]
        let systems: [(name: String, readsResults: Bool)]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        // First the class: a class of others is not there, whatever its lists say.
        let schoolClass = try await visit.api.get("/v1/classes/\(id)")
        async let items = GradeLists.items("/v1/graded-items?classId=\(id)", visit.api)
        async let grades = GradeLists.grades("/v1/grades?classId=\(id)", visit.api)
        async let systems = visit.api.get("/v1/classes/\(id)/gradebook-systems")
        async let students = RosterEntry.students(of: id, visit.api)
        let found = try await grades
        return try await Content(
            schoolClass: Side.SchoolClass(schoolClass), items: items, grades: found.0,
            isMore: found.isMore, students: students,
            systems: (systems["items"]?.array ?? []).map {
                (name: $0["name"]?.text ?? "", readsResults: $0["readsResults"]?.bool ?? false)
            })
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let id = visit["id"]
        let name = content.schoolClass?.name ?? ""
        let present = Set(content.students.map(\.id))
        let gone = Set(content.grades.map(\.studentID)).subtracting(present).count
        return View(name) {
            heading(name, below: written(content.schoolClass?.number ?? "")) {
                printButton(texts)
            }
            classTabs(id, name, .grades, texts)
            if content.items.isEmpty {
                emptyBox(texts(GradesText.emptyTitle), texts(GradesText.emptyAdvice))
            } else {
                if content.isMore { notice(.warn, .warn) { p { texts(GradesText.tooMany) } } }
                grid(content, visit)
                if gone > 0 { p(.class("small soft")) { texts(GradesText.left, count: gone) } }
            }
            systems(content.systems, texts)
        }.printedAcross()
    }

    @HTMLBuilder
    private static func grid(_ content: Content, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let pages = (content.items.count + columnsMax - 1) / columnsMax
        let page = min(max(visit.query("page").flatMap { Int($0) } ?? 1, 1), pages)
        let first = (page - 1) * columnsMax
        let items = Array(content.items[first..<min(first + columnsMax, content.items.count)])
        let cells = Dictionary(grouping: content.grades, by: \.studentID).mapValues { grades in
            Dictionary(grades.map { ($0.itemID, $0) }) { _, latest in latest }
        }
        div(
            .class("table-box table-tall"), .role("region"), .label(texts(GradesText.grid)),
            .tabindex(0)
        ) {
            table(.class("table table-fixed")) {
                thead { heads(items, visit) }
                tbody {
                    for student in content.students {
                        row(student, items, cells[student.id] ?? [:], visit)
                    }
                }
            }
        }
        if pages > 1 { further(page, of: pages, visit) }
    }

    private static func heads(_ items: [GradedItem], _ visit: Visit) -> HTML {
        let texts = visit.texts
        return tr {
            th(.scope("col")) { texts(GradesText.student) }
            for item in items {
                th(.scope("col")) {
                    written(item.title)
                    br()
                    span(.class("small soft")) {
                        dotted([
                            item.system.map(written) ?? .nothing,
                            .text(
                                item.dueAt.map {
                                    texts.day(visit.local($0).day, today: visit.today)
                                } ?? ""),
                        ])
                    }
                }
            }
        }
    }

    private static func row(
        _ student: RosterEntry, _ items: [GradedItem], _ grades: [String: Grade], _ visit: Visit
    ) -> HTML {
        tr {
            th(.scope("row")) {
                a(.href("/classes/\(visit["id"])/students/\(student.id)/grades"), .dirAuto) {
                    student.name
                }
            }
            for item in items {
                td {
                    if let grade = grades[item.id] {
                        div(.class("cell")) { grade.cell(of: item, visit.texts) }
                    }
                }
            }
        }
    }

    /// To work that is due later, and earlier.
    private static func further(_ page: Int, of pages: Int, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let address = visit.address.withoutQuery
        return nav(.class("pages"), .label(texts(GradesText.columns))) {
            if page > 1 {
                a(.class("button"), .rel("prev"), .href(address.with("page", "\(page - 1)"))) {
                    Icon.previous.html
                    texts(GradesText.newer)
                }
            }
            if page < pages {
                a(.class("button"), .rel("next"), .href(address.with("page", "\(page + 1)"))) {
                    texts(GradesText.older)
                    Icon.next.html
                }
            }
        }
    }

    /// Which systems may use the gradebook of the class, and which of them read what came of handouts.
    private static func systems(
        _ systems: [(name: String, readsResults: Bool)], _ texts: Texts
    ) -> HTML {
        section(.class("card reading no-print")) {
            h2(.id("systems")) { texts(GradesText.systems) }
            if systems.isEmpty {
                p(.class("soft")) { texts(GradesText.systemsNone) }
            } else {
                p(.class("soft")) { texts(GradesText.systemsHint) }
                ul(.class("list list-wraps"), .labelledBy("systems")) {
                    for system in systems {
                        li {
                            div(.class("grow")) {
                                p { written(system.name) }
                                if system.readsResults {
                                    p(.class("small soft")) { texts(GradesText.readsResults) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
