import Contract
import HTTPWire
import JSONBytes
import Values

/// The form with which a teacher marks the work of one student and gives it back, with a note.
///
/// What is typed is a draft, which nobody else sees, until one of the buttons gives it to the student. A mark that a
/// colleague gave after the page was shown is not replaced: the form names the marks that it showed.
struct MarkForm: Sendable {
    let student: HandoutReport.Student
    let worth: Worth
    /// The tasks with work to review, as the page shows them.
    let shown: [Review.Shown]
    /// Of the tasks, by id.
    let titles: [String: String]
    /// Where to go on when the work is given back.
    let next: LocalPath

    /// What the buttons do.
    private enum Deed: String {
        case save, give, again, looked

        var ofReview: Review.Deed? { Review.Deed(rawValue: rawValue) }
    }

    private static let note = "note"

    private static func control(_ task: String?) -> String { "points-\(task ?? "all")" }
    private static func seen(_ task: String?) -> String { "seen-\(task ?? "all")" }

    // MARK: What it does

    /// Does what the button says, and returns where to go on; `nil` if there are problems.
    static func act(
        _ form: Form, _ problems: inout FormProblems, _ visit: Visit
    ) async throws -> Answer? {
        let (handout, student) = (visit["id"], visit["person"])
        let deed = Deed(rawValue: form["does"]) ?? .save
        for work in try await Worth.load(handout, of: student, visit).marked {
            try await write(work, isGiven: deed == .give, form, &problems, visit)
        }
        guard problems.isEmpty else { return nil }
        guard let ofReview = deed.ofReview else {
            return .redirect(
                "/handouts/\(handout)/students/\(student)", notice: Notice(MarkText.noticeSaved))
        }
        do {
            try await Review.perform(ofReview, on: [student], form, visit)
        } catch let refusal as Refusal where refusal.isForForm {
            problems.add("note", TeachingText.sentence(refusal, visit.texts))
            return nil
        }
        if deed != .looked {
            for work in try await Worth.load(handout, of: student, visit).works
            where work.draft != nil {
                problems.add(control(work.taskId), visit.texts(MarkText.errorKept))
            }
        }
        guard problems.isEmpty else { return nil }
        return .redirect(Review.back(form, visit), notice: Notice(ofReview.notice))
    }

    /// Drafts what was typed for a task. An emptied field discards the draft; without one, giving takes the mark away.
    private static func write(
        _ work: Document<MarkedWork>, isGiven: Bool, _ form: Form, _ problems: inout FormProblems,
        _ visit: Visit
    ) async throws {
        let texts = visit.texts
        let field = control(work.taskId)
        let typed = form[field].trimmedSpace
        do {
            guard !typed.isEmpty else {
                if work.draft != nil {
                    try await send(work, MarkCalls.discarding, MarkCalls.taskDiscarding, visit)
                } else if isGiven, work.mark != nil {
                    try await send(work, MarkCalls.taking, MarkCalls.taskTaking, visit)
                }
                return
            }
            guard let points = Texts.points(typed: typed) else {
                problems.add(field, texts(MarkText.errorNumber))
                return
            }
            guard points <= work.maximum ?? 0 else {
                let most = texts.number(work.maximum ?? 0, decimals: 2)
                problems.add(field, texts(MarkText.errorMost, ["maximum": most]))
                return
            }
            let seen = Int(form[seen(work.taskId)]) ?? 0
            if let draft = work.draft {
                if draft.points == points, draft.replaces == seen { return }
            } else if work.mark?.points == points {
                return
            }
            try await send(
                work, MarkCalls.draft, MarkCalls.taskDraft, visit,
                [
                    "points": JSONValue(floatLiteral: points),
                    "replaces": .number(JSONNumber(Int64(seen))),
                ])
        } catch let refusal as Refusal where refusal.isForForm {
            problems.add(field, TeachingText.sentence(refusal, texts))
        }
    }

    private static func send(
        _ work: Document<MarkedWork>, _ ofWhole: Call<NoQuery, NoDocument>,
        _ ofTask: Call<NoQuery, NoDocument>, _ visit: Visit, _ body: JSONValue? = nil
    ) async throws {
        let (handout, student) = (visit["id"], visit["person"])
        let call =
            work.taskId.map { ofTask.of(handout, student, $0) } ?? ofWhole.of(handout, student)
        _ = try await visit.api.send(call.method, call.path, body)
    }

    // MARK: As a card

    func card(_ form: Form?, _ problems: FormProblems, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let path: LocalPath = "/handouts/\(visit["id"])/students/\(student.id)/marks"
        return section(.class("card no-print"), .labelledBy("marks")) {
            h2(.id("marks")) { texts.html(MarkText.title, ["name": written(student.name)]) }
            postForm(visit, path, .class("stack")) {
                input(.type("hidden"), .name("to"), .value(next.text))
                Review.named(shown, of: student)
                for work in worth.marked { entry(work, form, problems, texts) }
                if !shown.isEmpty {
                    textField(
                        Self.note, label: texts(ReviewText.note), hint: texts(ReviewText.noteHint),
                        problem: problems[Self.note], form?[Self.note] ?? "")
                }
                buttons(texts)
                p(.class("hint")) {
                    texts.html(MarkText.draftHint, ["name": written(student.name)])
                }
            }
        }
    }

    private func entry(
        _ work: Document<MarkedWork>, _ form: Form?, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        let id = Self.control(work.taskId)
        let title =
            work.taskId.map { texts(MarkText.task, ["task": titles[$0] ?? ""]) }
            ?? texts(MarkText.whole)
        let points = work.draft?.points ?? work.mark?.points
        // The form of a conversation, which may be the one shown again, has no points.
        let again = form.flatMap { $0.has(id) ? $0[id] : nil }
        let typed = again ?? points.map { texts.typed($0) }
        return parts {
            field(
                id, label: title,
                hint: texts(
                    MarkText.hint, ["maximum": texts.number(work.maximum ?? 0, decimals: 2)]),
                problem: problems[id], style: "input input-short", .type("text"),
                Attribute("inputmode", "decimal"), .autocomplete("off"),
                .value(typed ?? ""))
            if let mark = work.mark {
                p(.class("small soft")) { texts(MarkText.own, ["mark": texts.worth(mark)]) }
            }
            input(
                .type("hidden"), .name(Self.seen(work.taskId)),
                .value("\(work.mark?.revision ?? 0)"))
        }
    }

    private func buttons(_ texts: Texts) -> HTML {
        var deeds: [(Deed, String)] = [(.give, texts(ReviewText.give))]
        if !shown.isEmpty {
            deeds += [(.again, texts(ReviewText.again)), (.looked, texts(ReviewText.looked))]
        }
        deeds.append((.save, texts(MarkText.save)))
        return p(.class("row")) {
            for (deed, word) in deeds {
                button(
                    .class(deed == .give ? "button button-main" : "button"), .type("submit"),
                    .name("does"), .value(deed.rawValue)
                ) { word }
            }
        }
    }
}

extension Texts {
    /// Points as one types them, without a sign between thousands.
    func typed(_ points: Double) -> String {
        points < 1000 ? number(points, decimals: 2) : String(Int(points))
    }
}
