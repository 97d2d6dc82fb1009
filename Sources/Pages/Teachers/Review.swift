import HTTPWire
import JSONBytes
import Values

enum ReviewText: String, TextKey {
    case title, intro, none, noneAdvice, who, work, note, noteHint, give, again, looked, lookedHint
    case undo, open, returnTitle, nobody
    case noticeReturned, noticeAgain, noticeLooked, noticeUndone

    static let section = "review"
}

/// `/handouts/{id}/review`: what students did and nobody has returned or looked at since, to be returned together, with
/// a note or to try again, or marked as looked at.
///
/// What was done after the page was made stays to review: its form says what the page showed.
enum Review: Screen {
    static var pages: [Page] {
        [
            .show("/handouts/{id}/review", for: .teacher, load: load) { view($0, nil, .none, $1) },
            .post("/handouts/{id}/review", for: .teacher, act),
            .post("/handouts/{id}/review/all", for: .teacher) { form, visit in
                let body: JSONValue? = form["until"].nilIfEmpty.map { ["until": .text($0)] }
                try await visit.api.put("/v1/handouts/\(visit["id"])/reviewed", body)
                return .redirect(
                    LocalPath("/today").with("looked", visit["id"]),
                    notice: Notice(ReviewText.noticeLooked))
            },
            .post("/handouts/{id}/review/undo", for: .teacher) { form, visit in
                try await visit.api.delete("/v1/handouts/\(visit["id"])/reviewed")
                return .redirect(back(form, visit), notice: Notice(ReviewText.noticeUndone))
            },
        ]
    }

    /// What the buttons of a form do.
    enum Deed: String, CaseIterable {
        case give, again, looked

        fileprivate var notice: ReviewText {
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
        /// Whether something was marked as looked at, which can be taken back.
        let hasMarks: Bool
        let schoolClass: Side.SchoolClass?
    }

    /// A student with work to review.
    struct Row: Sendable {
        let student: HandoutReport.Student
        let tasks: Int
        let lastDoneAt: Timestamp

        /// `nil` if there is nothing to review.
        ///
        /// - Parameter mark: until when the teacher has looked at the student's work.
        init?(_ row: HandoutReport.Row, mark: Timestamp?) {
            let moments = row.works.compactMap { work -> Timestamp? in
                guard work.isToReview, let done = work.doneAt else { return nil }
                return mark.map { $0 >= done } ?? false ? nil : done
            }
            guard let last = moments.max() else { return nil }
            student = row.student
            tasks = moments.count
            lastDoneAt = last
        }
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let asked = visit.api.get("/v1/handouts/\(id)/report")
        let handout = try await visit.api.get("/v1/handouts/\(id)")
        async let schoolClass = visit.schoolClass(of: handout)
        var marks: [String: Timestamp] = [:]
        for mark in try await Console.all("/v1/handouts/\(id)/reviewed", visit.api) {
            marks[mark["personId"]?.text ?? ""] = mark.moment("reviewedAt")
        }
        let report = try await HandoutReport(asked)
        return await Content(
            report: report,
            rows: report.rows.compactMap { Row($0, mark: marks[$0.student.id]) },
            hasMarks: !marks.isEmpty, schoolClass: schoolClass)
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

    private static func perform(
        _ deed: Deed, on people: [String], _ form: Form, _ visit: Visit
    ) async throws {
        let id = visit["id"]
        var body = JSONObject([("personIds", .array(people.map(JSONValue.text)))])
        if let until = form["until"].nilIfEmpty { body["until"] = .text(until) }
        if deed == .looked {
            _ = try await visit.api.put("/v1/handouts/\(id)/reviewed", .object(body))
            return
        }
        if let note = form["note"].nilIfEmpty { body["note"] = .text(note) }
        if deed == .again { body["tryAgain"] = true }
        _ = try await visit.api.post("/v1/handouts/\(id)/returns", .object(body))
    }

    private static func back(_ form: Form, _ visit: Visit) -> LocalPath {
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
            if content.rows.isEmpty {
                emptyBox(texts(ReviewText.none), texts(ReviewText.noneAdvice))
            } else {
                list(content, form, problems, visit)
            }
            if content.hasMarks { undo(of: visit["id"], to: visit.address, visit) }
        }
    }

    private static func list(
        _ content: Content, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let ticked = form.map { Set($0.all("who")) }
        return postForm(visit, "/handouts/\(visit["id"])/review", .class("stack")) {
            fieldset(.class("card"), .id("who")) {
                legend { texts(ReviewText.who) }
                if let problem = problems["who"] {
                    p(.class("problem")) {
                        Icon.warn.html
                        problem
                    }
                }
                for row in content.rows {
                    label(.class("choice")) {
                        input(
                            .type("checkbox"), .name("who"), .value(row.student.id),
                            .checked(ticked?.contains(row.student.id) ?? true))
                        span(.dirAuto) { row.student.name }
                        " "
                        span(.class("small soft")) {
                            [
                                texts(ReviewText.work, count: row.tasks),
                                texts(TodayText.lastDone, ["when": visit.moment(row.lastDoneAt)]),
                            ].joined(separator: " · ")
                        }
                    }
                }
            }
            deeds(until: content.report.generatedAt, form, problems, visit)
        }
    }

    /// The form with which a page returns the work of one student.
    ///
    /// - Parameters:
    ///   - student: whose work the page shows.
    ///   - moment: when what the page shows was so.
    ///   - next: where to go on.
    static func card(
        for student: HandoutReport.Student, until moment: Timestamp?, next: LocalPath,
        _ visit: Visit
    ) -> HTML {
        section(.class("card no-print"), .labelledBy("return")) {
            h2(.id("return")) { visit.texts(ReviewText.returnTitle) }
            postForm(visit, "/handouts/\(visit["id"])/review", .class("stack")) {
                input(.type("hidden"), .name("who"), .value(student.id))
                input(.type("hidden"), .name("to"), .value(next.text))
                deeds(until: moment, nil, .none, visit)
            }
        }
    }

    @HTMLBuilder
    private static func deeds(
        until moment: Timestamp?, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> [HTML] {
        let texts = visit.texts
        input(.type("hidden"), .name("until"), .value(form?["until"] ?? moment?.description ?? ""))
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
