import HTTPWire
import JSONBytes
import Values

enum AttemptText: String, TextKey {
    case inHandout, previous, next, everything, neighbours
    case attempt, latest, fromTo, fromToDay, running, items, openedAt, doneAt, nothing, more,
        progressOff
    case givenBack, givenBackAgain, beforeJoined, give, noticeGiven

    static let section = "attempts"
}

/// `/handouts/{id}/students/{person}`: every attempt of one student at a handout, with every item.
enum StudentInHandout: Screen {
    static var pages: [Page] {
        let own: [Page] = [
            .show("/handouts/{id}/students/{person}", for: .teacher, load: load) {
                view($0, nil, .none, $1)
            },
            .post("/handouts/{id}/students/{person}/given", for: .teacher) { _, visit in
                let path = "/handouts/\(visit["id"])/students/\(visit["person"])" as LocalPath
                try await visit.api.send(
                    .put, "/v1/handouts/\(visit["id"])/students/\(visit["person"])")
                return .redirect(path, notice: Notice(AttemptText.noticeGiven))
            },
            .post("/handouts/{id}/students/{person}/marks", for: .teacher) { form, visit in
                var problems = FormProblems.none
                if let answer = try await MarkForm.act(form, &problems, visit) { return answer }
                return .view(view(try await load(visit), form, problems, visit).refused())
            },
        ]
        return own
            + Talk.forms(for: .teacher) { form, problems, visit in
                view(try await load(visit), form, problems, visit)
            }
    }

    struct Content: Sendable {
        let student: HandoutReport.Student
        let isProgressOff: Bool
        let tasks: [AttemptedTask]
        let report: HandoutReport
        let schoolClass: Side.SchoolClass?
        let nextPage: String?
        let talk: Talk?
        let worth: Worth
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        let path = LocalPath("/v1/handouts/\(id)/students/\(visit["person"])")
            .with("pageToken", visit.query("page"))
        async let asked = visit.api.get(path)
        async let report = visit.api.get("/v1/handouts/\(id)/report")
        async let talk = Talk.load(visit, of: .teacher)
        async let worth = Worth.load(id, of: visit["person"], visit)
        let handout = try await visit.api.get("/v1/handouts/\(id)")
        async let schoolClass = visit.schoolClass(of: handout)
        let attempts = try await asked
        return try await Content(
            student: HandoutReport.Student(attempts["student"] ?? .null),
            isProgressOff: attempts["student"]?["progressOff"]?.bool ?? false,
            tasks: (attempts["tasks"]?.array ?? []).map { AttemptedTask($0) },
            report: HandoutReport(report), schoolClass: schoolClass,
            nextPage: attempts["nextPageToken"]?.text, talk: talk, worth: worth)
    }

    private static func view(
        _ content: Content, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return View(content.student.name) {
            head(content, visit)
            problems.summary(
                form?.has("say") == false
                    ? texts(MarkText.errorsTitle) : texts(TalkText.errorsTitle))
            neighbours(of: content.student, in: content.report.rows.map(\.student), texts) {
                "/handouts/\(visit["id"])/students/\($0)"
            }
            if content.isProgressOff {
                notice(.plain, .off) { p { texts(AttemptText.progressOff) } }
            }
            if content.tasks.contains(where: \.work.isBeforeJoined) { newcomer(content, visit) }
            back(content, form, problems, visit)
            for task in content.tasks {
                task.card(visit, isNumbered: visit.query("page") == nil)
            }
            if let next = content.nextPage {
                nav(.class("pages"), .label(texts(AttemptText.more))) {
                    a(
                        .class("button"), .rel("next"),
                        .href(visit.address.withoutQuery.with("page", next))
                    ) {
                        texts(AttemptText.more)
                        " "
                        Icon.next.html
                    }
                }
            }
            talk(content, form, problems, visit)
        }
    }

    /// The form that gives the work back, with marks if there are any to give.
    private static func back(
        _ content: Content, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> HTML {
        let shown = content.tasks.compactMap { task in
            task.work.isToReview
                ? task.work.doneAt.map { Review.Shown(task: task.id, doneAt: $0) } : nil
        }
        let next = next(after: content.student, content.report, visit)
        guard content.worth.marked.isEmpty else {
            let titles = content.report.tasks.map { ($0.id, $0.title) }
            return MarkForm(
                student: content.student, worth: content.worth, shown: shown,
                titles: Dictionary(titles) { first, _ in first }, next: next
            ).card(form, problems, visit)
        }
        guard !shown.isEmpty else { return .nothing }
        return Review.card(for: content.student, shown: shown, next: next, visit)
    }

    private static func talk(
        _ content: Content, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let name = written(content.student.name)
        let schoolClass = content.schoolClass?.name ?? ""
        return content.talk?.card(
            texts.html(TalkText.titleWith, ["name": name]),
            hint: texts(
                TalkText.sayHint, ["name": content.student.name, "class": schoolClass]),
            form, problems, visit) ?? .nothing
    }

    /// The next student whose work is to review, or the list of them.
    private static func next(
        after student: HandoutReport.Student, _ report: HandoutReport, _ visit: Visit
    ) -> LocalPath {
        let rows = report.rows.drop { $0.student != student }.dropFirst()
        guard let next = rows.first(where: { $0.works.contains(where: \.isToReview) }) else {
            return "/handouts/\(visit["id"])/review"
        }
        return "/handouts/\(visit["id"])/students/\(next.student.id)"
    }

    /// Says that the handout does not count for the student, and offers to give it nevertheless.
    private static func newcomer(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return notice(.plain, .info) {
            p {
                texts.html(
                    AttemptText.beforeJoined, ["name": written(content.student.name)])
            }
            postForm(visit, "/handouts/\(visit["id"])/students/\(content.student.id)/given") {
                button(.class("button"), .type("submit")) { texts(AttemptText.give) }
            }
        }
    }

    private static func head(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let id = visit["id"]
        return div {
            crumbs(content.schoolClass, handout: (id, content.report.title), texts)
            heading(
                content.student.name,
                below: texts.html(
                    AttemptText.inHandout,
                    [
                        "handout": written(content.report.title),
                        "due": .text(content.report.due(visit)),
                    ])
            ) {
                if let schoolClass = content.schoolClass {
                    a(
                        .class("button"),
                        .href("/classes/\(schoolClass.id)/students/\(content.student.id)")
                    ) { texts.html(AttemptText.everything, ["class": written(schoolClass.name)]) }
                }
                printButton(texts)
            }
        }
    }
}

/// Links to the previous and the next student of a list.
///
/// - Parameter path: the page of a student, by id.
func neighbours(
    of student: HandoutReport.Student, in students: [HandoutReport.Student], _ texts: Texts,
    path: (String) -> LocalPath
) -> HTML {
    guard let index = students.firstIndex(of: student), students.count > 1 else { return .nothing }
    return nav(.class("pages no-print"), .label(texts(AttemptText.neighbours))) {
        if index > 0 {
            let previous = students[index - 1]
            a(.class("button"), .rel("prev"), .href(path(previous.id))) {
                Icon.previous.html
                texts.html(AttemptText.previous, ["name": written(previous.name)])
            }
        } else {
            span()
        }
        if index + 1 < students.count {
            let next = students[index + 1]
            a(.class("button"), .rel("next"), .href(path(next.id))) {
                texts.html(AttemptText.next, ["name": written(next.name)])
                Icon.next.html
            }
        }
    }
}
