import HTTPWire
import JSONBytes
import Values

enum ReviewText: String, TextKey {
    case title, intro, none, noneAdvice, who, work, note, noteHint, give, again, looked, lookedHint
    case undo, open, returnTitle, nobody
    case talks, noticeReturned, noticeAgain, noticeLooked, noticeUndone, noticeChanged

    static let section = "review"
}

/// `/handouts/{id}/review`: what students did and nobody has returned or looked at since, to be returned together, with
/// a note or to try again, or marked as looked at.
///
/// What the page did not show stays to review, whenever it was done: its form names the work that it showed.
enum Review: Screen {
    static var pages: [Page] {
        [
            .show("/handouts/{id}/review", for: .teacher, load: load) { view($0, nil, .none, $1) },
            .post("/handouts/{id}/review", for: .teacher, act),
            .post("/handouts/{id}/review/all", for: .teacher, lookAtAll),
            .post("/handouts/{id}/review/undo", for: .teacher) { form, visit in
                try await visit.api.delete("/v1/handouts/\(visit["id"])/reviewed")
                return .redirect(back(form, visit), notice: Notice(ReviewText.noticeUndone))
            },
        ]
    }

    /// What the buttons of a form do.
    enum Deed: String, CaseIterable {
        case give, again, looked

        var notice: ReviewText {
            switch self {
            case .give: .noticeReturned
            case .again: .noticeAgain
            case .looked: .noticeLooked
            }
        }
    }

    struct Content: Sendable {
        let report: HandoutReport
        let rows: [Row]
        let talkers: [Talker]
        /// Whether something was marked as looked at, which can be taken back.
        let hasMarks: Bool
        let schoolClass: Side.SchoolClass?
    }

    /// A task as a student had done it, on a page.
    struct Shown: Sendable, Hashable {
        let task: String
        let doneAt: Timestamp
    }

    /// A student with work to review.
    struct Row: Sendable {
        let student: HandoutReport.Student
        let shown: [Shown]

        /// `nil` if there is nothing to review.
        ///
        /// - Parameter marks: what the teacher has looked at of the student's work.
        init?(
            _ row: HandoutReport.Row, of tasks: [HandoutReport.Task], marks: Set<Shown>
        ) {
            student = row.student
            shown = zip(tasks, row.works).compactMap { task, work in
                guard work.isToReview, let done = work.doneAt else { return nil }
                let shown = Shown(task: task.id, doneAt: done)
                return marks.contains(shown) ? nil : shown
            }
            if shown.isEmpty { return nil }
        }

        var lastDoneAt: Timestamp? { shown.map(\.doneAt).max() }
    }

    /// A student who wrote what the teacher has not read.
    struct Talker: Sendable {
        let student: HandoutReport.Student
        let newComments: Int
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let asked = visit.api.get("/v1/handouts/\(id)/report")
        async let talks = Console.all("/v1/handouts/\(id)/comments", visit.api)
        let handout = try await visit.api.get("/v1/handouts/\(id)")
        async let schoolClass = visit.schoolClass(of: handout)
        var marks: [String: Set<Shown>] = [:]
        for mark in try await Console.all("/v1/handouts/\(id)/reviewed", visit.api) {
            guard let task = mark["taskId"]?.text, let done = mark.moment("doneAt") else {
                continue
            }
            marks[mark["personId"]?.text ?? "", default: []].insert(
                Shown(task: task, doneAt: done))
        }
        let report = try await HandoutReport(asked)
        let new = try await Dictionary(
            talks.map { ($0["personId"]?.text ?? "", Int($0["newComments"]?.int64 ?? 0)) }
        ) { first, _ in first }
        return await Content(
            report: report,
            rows: report.rows.compactMap {
                Row($0, of: report.tasks, marks: marks[$0.student.id] ?? [])
            },
            talkers: report.rows.map {
                Talker(student: $0.student, newComments: new[$0.student.id] ?? 0)
            }.filter { $0.newComments > 0 },
            hasMarks: !marks.isEmpty, schoolClass: schoolClass)
    }

    /// From a page that shows how much there is, not what: if something else was done meanwhile, nothing is marked.
    private static func lookAtAll(_ form: Form, _ visit: Visit) async throws -> Answer {
        var body = JSONObject()
        if let until = form["until"].nilIfEmpty { body["until"] = .text(until) }
        if let digest = form["digest"].nilIfEmpty { body["digest"] = .text(digest) }
        do {
            try await visit.api.put("/v1/handouts/\(visit["id"])/reviewed", .object(body))
        } catch let refusal as Refusal where refusal.code == "work_changed" {
            return .redirect("/today", notice: Notice(ReviewText.noticeChanged))
        }
        return .redirect(
            LocalPath("/today").with("looked", visit["id"]),
            notice: Notice(ReviewText.noticeLooked))
    }

    private static func act(_ form: Form, _ visit: Visit) async throws -> Answer {
        guard let deed = Deed(rawValue: form["does"]) else { return .redirect(back(form, visit)) }
        let people = form.all("who")
        var problems = FormProblems.none
        guard !people.isEmpty else {
            problems.add("who", visit.texts(ReviewText.nobody))
            return .view(view(try await load(visit), form, problems, visit).refused())
        }
        do {
            try await perform(deed, on: people, form, visit)
        } catch let refusal as Refusal where refusal.isForForm {
            problems.add("note", TeachingText.sentence(refusal, visit.texts))
            return .view(view(try await load(visit), form, problems, visit).refused(refusal))
        }
        return .redirect(back(form, visit), notice: Notice(deed.notice))
    }

    /// Marks that the teacher drafted for these students are given with the work.
    static func perform(
        _ deed: Deed, on people: [String], _ form: Form, _ visit: Visit
    ) async throws {
        let id = visit["id"]
        let given: [(String, JSONValue)] = deed == .looked ? [] : [("marks", true)]
        var body = JSONObject([("personIds", .array(people.map(JSONValue.text)))] + given)
        body["work"] = .array(shown(in: form, of: Set(people)))
        if deed == .looked {
            _ = try await visit.api.put("/v1/handouts/\(id)/reviewed", .object(body))
            return
        }
        if let note = form["note"].nilIfEmpty { body["note"] = .text(note) }
        if deed == .again { body["tryAgain"] = true }
        _ = try await visit.api.post("/v1/handouts/\(id)/returns", .object(body))
    }

    /// What the page showed of these students, as its form names it: student, task and moment.
    private static func shown(in form: Form, of people: Set<String>) -> [JSONValue] {
        form.all("shown").compactMap { field in
            let parts = field.split(separator: " ").map(String.init)
            guard parts.count == 3, people.contains(parts[0]) else { return nil }
            return [
                "personId": .text(parts[0]), "taskId": .text(parts[1]), "doneAt": .text(parts[2]),
            ]
        }
    }

    static func back(_ form: Form, _ visit: Visit) -> LocalPath {
        LocalPath(returning: form["to"]) ?? "/handouts/\(visit["id"])/review"
    }
}

// MARK: The page

extension Review {
    private static func view(
        _ content: Content, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(ReviewText.title, ["handout": content.report.title])
        return View(title) {
            div {
                crumbs(
                    content.schoolClass, handout: (visit["id"], content.report.title), texts)
                heading(title, below: .text(texts(ReviewText.intro)))
            }
            problems.summary(texts(ActionText.errorsTitle))
            if content.rows.isEmpty, content.talkers.isEmpty {
                emptyBox(texts(ReviewText.none), texts(ReviewText.noneAdvice))
            }
            talks(content.talkers, visit)
            if !content.rows.isEmpty { list(content, form, problems, visit) }
            if content.hasMarks { undo(of: visit["id"], to: visit.address, visit) }
        }
    }

    private static func list(
        _ content: Content, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let ticked = form.map { Set($0.all("who")) }
        return postForm(visit, "/handouts/\(visit["id"])/review", .class("stack")) {
            div(.class("card")) {
                fieldset(.id("who")) {
                    legend { texts(ReviewText.who) }
                    if let problem = problems["who"] {
                        p(.class("problem")) {
                            Icon.warn.html
                            problem
                        }
                    }
                    for row in content.rows {
                        choice(row, ticked?.contains(row.student.id) ?? true, visit)
                    }
                }
            }
            for row in content.rows { named(row.shown, of: row.student) }
            deeds(form, problems, visit)
            p(.class("hint")) { texts(MarkText.withReturn) }
        }
    }

    private static func choice(_ row: Row, _ isTicked: Bool, _ visit: Visit) -> HTML {
        let work = [
            visit.texts(ReviewText.work, count: row.shown.count),
            row.lastDoneAt.map { visit.texts(TodayText.lastDone, ["when": visit.moment($0)]) },
        ]
        return label(.class("choice")) {
            input(
                .type("checkbox"), .name("who"), .value(row.student.id), .checked(isTicked))
            a(.href("/handouts/\(visit["id"])/students/\(row.student.id)"), .dirAuto) {
                row.student.name
            }
            " "
            span(.class("small soft")) { work.compactMap { $0 }.joined(separator: " · ") }
        }
    }

    /// Students who wrote something. What they wrote is on their pages, which are viewings.
    private static func talks(_ talkers: [Talker], _ visit: Visit) -> HTML {
        guard !talkers.isEmpty else { return .nothing }
        return section(.class("stack")) {
            h2(.id("talks")) { visit.texts(ReviewText.talks) }
            ul(.class("list list-boxed list-link"), .labelledBy("talks")) {
                for talker in talkers {
                    li {
                        div(.class("grow")) {
                            a(
                                .class("cover"), .dirAuto,
                                .href("/handouts/\(visit["id"])/students/\(talker.student.id)")
                            ) { talker.student.name }
                        }
                        tag(visit.texts(TalkText.new, count: talker.newComments), .info, .info)
                    }
                }
            }
        }
    }

    static func named(_ shown: [Shown], of student: HandoutReport.Student) -> HTML {
        parts {
            for work in shown {
                input(
                    .type("hidden"), .name("shown"),
                    .value("\(student.id) \(work.task) \(work.doneAt)"))
            }
        }
    }

    /// The form with which a page returns the work of one student.
    ///
    /// - Parameters:
    ///   - student: whose work the page shows.
    ///   - shown: what it shows of it.
    ///   - next: where to go on.
    static func card(
        for student: HandoutReport.Student, shown: [Shown], next: LocalPath, _ visit: Visit
    ) -> HTML {
        section(.class("card no-print"), .labelledBy("return")) {
            h2(.id("return")) { visit.texts(ReviewText.returnTitle) }
            postForm(visit, "/handouts/\(visit["id"])/review", .class("stack")) {
                input(.type("hidden"), .name("who"), .value(student.id))
                input(.type("hidden"), .name("to"), .value(next.text))
                named(shown, of: student)
                deeds(nil, .none, visit)
            }
        }
    }

    @HTMLBuilder
    private static func deeds(
        _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> [HTML] {
        let texts = visit.texts
        textField(
            "note", label: texts(ReviewText.note), hint: texts(ReviewText.noteHint),
            problem: problems["note"], form?["note"] ?? "")
        p(.class("row")) {
            for deed in Deed.allCases {
                button(
                    .class(deed == .give ? "button button-main" : "button"), .type("submit"),
                    .name("does"), .value(deed.rawValue)
                ) { texts(deed.word) }
            }
        }
        p(.class("hint")) { texts(ReviewText.lookedHint) }
    }

    /// The button that takes the last marking of a handout back.
    static func undo(of id: String, to path: LocalPath, _ visit: Visit) -> HTML {
        postForm(visit, "/handouts/\(id)/review/undo", .class("no-print")) {
            input(.type("hidden"), .name("to"), .value(path.text))
            button(.class("button"), .type("submit")) { visit.texts(ReviewText.undo) }
        }
    }
}

extension Review.Deed {
    fileprivate var word: ReviewText {
        switch self {
        case .give: .give
        case .again: .again
        case .looked: .looked
        }
    }
}
