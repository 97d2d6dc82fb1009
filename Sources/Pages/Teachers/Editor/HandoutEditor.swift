import HTTPWire
import JSONBytes
import Values

enum EditorText: String, TextKey {
    case titleNew, titleEdit, forClass, untitled
    case what, fieldTitle, instructions, instructionsHint, points, pointsHint, errorPoints
    case tasks, taskCount, taskNumber, noTask, addTask, addActivity, addTime, addLink
    case addTool
    case up, down, remove, inApp, wholeApp, minutesInApp, linkTo
    case who, legend, everyone, everyoneHint, chosenCount, choose, chooseHint
    case everyoneTitle, everyoneAsked, everyoneYes, dueYes
    case when, dueDate, dueTime, dueHint, appears, changeTime
    case publish, saveDraft, save
    case recorded, recordedText, scheduledNotice, publishedNotice, draftNotice
    case errorsTitle, errorTitle, errorTitleUnfit, errorInstructions, errorNobody, errorRecipients
    case errorBoth
    case errorDueDate, errorTime, errorDue, errorTask, errorNoTask
    case begunTitle, begun, discard
    case closedTitle, closed
    case noticeSaved, noticeDraft

    static let section = "editor"
}

/// `/classes/{id}/handouts/new` and `/handouts/{id}/edit`: what a teacher gives to a class.
///
/// The first button saves a draft; from then on there is a handout whose tasks can be changed.
enum HandoutEditor: Screen {
    static var pages: [Page] {
        [
            .get("/classes/{id}/handouts/new", for: .teacher) { visit in
                .view(view(try await Content.load(for: visit["id"], visit), HandoutForm(), visit))
            },
            .post("/classes/{id}/handouts/new", for: .teacher, create),
            .get("/handouts/{id}/edit", for: .teacher) { visit in
                let handout = try await EditedHandout.load(visit["id"], visit.api)
                guard handout.isOpen else { return .view(closed(handout, visit)) }
                let content = try await Content.load(for: handout.classID, editing: handout, visit)
                return .view(view(content, HandoutForm(handout, visit), visit))
            },
            .post("/handouts/{id}/edit", for: .teacher, save).changing(.record("handout")),
        ]
    }

    /// What the form offers beside what is typed into it.
    struct Content: Sendable {
        let schoolClass: TaughtClass
        let students: [RosterEntry]
        /// The names of apps by their bundle ids.
        let apps: [String: String]
        /// `nil` for a new handout.
        let handout: EditedHandout?

        static func load(
            for classID: String, editing handout: EditedHandout? = nil, _ visit: Visit
        ) async throws -> Content {
            async let schoolClass = TaughtClass.load(classID, visit.api)
            async let students = RosterEntry.students(of: classID, visit.api)
            async let apps = handout == nil ? [:] : CatalogEntry.appNames(visit.api)
            return try await Content(
                schoolClass: schoolClass, students: students, apps: apps, handout: handout)
        }
    }

    /// The button that was pressed.
    enum Intent: Sendable {
        case keep
        case publish
        /// Go on to a page that adds a task.
        case add(String)
        /// Move a task by that many places.
        case move(String, by: Int)
        /// - discarding: although something is recorded for it.
        case remove(String, discarding: Bool)

        init(_ form: Form) {
            if let id = form["up"].nilIfEmpty {
                self = .move(id, by: -1)
            } else if let id = form["down"].nilIfEmpty {
                self = .move(id, by: 1)
            } else if let id = form["remove"].nilIfEmpty {
                self = .remove(id, discarding: false)
            } else if let id = form["discard"].nilIfEmpty {
                self = .remove(id, discarding: true)
            } else if let page = form["add"].nilIfEmpty {
                self = .add(page)
            } else {
                self = form["do"] == "publish" ? .publish : .keep
            }
        }

        var isAdding: Bool { if case .add = self { true } else { false } }
    }

    // MARK: Saving

    private static func create(_ form: Form, _ visit: Visit) async throws -> Answer {
        let intent = Intent(form)
        var typed = HandoutForm(form)
        let content = try await Content.load(for: visit["id"], visit)
        // Tasks may be chosen before there is a title.
        if intent.isAdding, typed.title.isEmpty { typed.title = visit.texts(EditorText.untitled) }
        var problems = FormProblems.none
        var body = typed.body(content.students, isNew: true, &problems, visit)
        guard problems.isEmpty else {
            return .view(view(content, typed, problems: problems, visit).refused())
        }
        body["classId"] = .text(content.schoolClass.id)
        do {
            let made = try await visit.api.post("/v1/handouts", .object(body))
            guard let id = made["id"]?.text else { throw UnexpectedAnswer() }
            return next(intent, id, classID: content.schoolClass.id, isDraft: true)
        } catch let refusal as Refusal where refusal.isForForm {
            problems = HandoutForm.explained(refusal, visit.texts)
            return .view(view(content, typed, problems: problems, visit).refused(refusal))
        }
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        guard handout.isOpen else { return .view(closed(handout, visit).refused(409)) }
        let content = try await Content.load(for: handout.classID, editing: handout, visit)
        let intent = Intent(form)
        let typed = HandoutForm(form)
        var problems = FormProblems.none
        var body = changed(
            typed.body(content.students, isNew: false, &problems, visit), form, visit)
        if case .publish = intent, handout.tasks.isEmpty {
            problems.add("tasks", visit.texts(EditorText.errorNoTask))
        }
        guard problems.isEmpty else {
            return .view(view(content, typed, problems: problems, visit).refused())
        }
        if let question = question(form, typed, handout, visit) {
            return .view(view(content, typed, question: question, visit).refused())
        }
        let path = LocalPath("/v1/handouts/\(handout.id)")
        var isDiscarding = false
        if let tasks = handout.tasks(after: intent) {
            body["tasks"] = .array(tasks.map(\.kept))
            if case .remove(_, discarding: true) = intent { isDiscarding = true }
        }
        do {
            if !body.isEmpty {
                try await visit.api.send(
                    .patch, path.with("discardProgress", isDiscarding ? "true" : nil),
                    .object(body), headers: [(name: "If-Match", value: typed.tag)])
            }
        } catch let refusal as Refusal where refusal.isForForm && refusal.status != 412 {
            return refused(refusal, intent, typed, content, visit)
        }
        return next(
            intent, handout.id, classID: handout.classID, isDraft: handout.summary.state == .draft)
    }

    /// Only what was changed: the form knows no seconds of a due time, and of recipients only who is in the class.
    private static func changed(_ body: JSONObject, _ form: Form, _ visit: Visit) -> JSONObject {
        let fields: [(name: String, group: String, controls: [String])] = [
            ("title", "title", ["title"]), ("instructions", "instructions", ["instructions"]),
            ("marking", "points", ["points"]),
            ("dueAt", "due", ["dueDate", "dueTime"]), ("recipients", "recipients", ["student"]),
        ]
        return JSONObject(
            fields.compactMap { name, group, controls in
                visit.changes(group, controls, form) ? body[name].map { (name, $0) } : nil
            })
    }

    /// What must be asked first: what would give it to more students, or make it late for all, is never guessed.
    private static func question(
        _ form: Form, _ typed: HandoutForm, _ handout: EditedHandout, _ visit: Visit
    ) -> EditorQuestion? {
        if visit.changes("recipients", ["student"], form), handout.chosen != nil,
            typed.chosen.isEmpty, !typed.isForEveryone
        {
            return .everyone
        }
        // A draft is asked about when it is published.
        guard handout.summary.state != .draft,
            visit.changes("due", ["dueDate", "dueTime"], form),
            typed.due(visit) != handout.dueAsTyped(visit),
            let doubt = Doubt(
                due: typed.due(visit), appears: handout.summary.publishAt, visit),
            form["anyway"] != doubt.answer
        else { return nil }
        return .due(doubt)
    }

    /// The form with what was typed, and why it is not saved.
    private static func refused(
        _ refusal: Refusal, _ intent: Intent, _ typed: HandoutForm, _ content: Content,
        _ visit: Visit
    ) -> Answer {
        if refusal.code == "task_has_progress", case .remove(let id, _) = intent {
            return .view(view(content, typed, question: .begun(task: id), visit).refused(409))
        }
        let problems = HandoutForm.explained(refusal, visit.texts)
        return .view(view(content, typed, problems: problems, visit).refused(refusal))
    }

    /// Where the pressed button leads once everything is saved.
    private static func next(
        _ intent: Intent, _ id: String, classID: String, isDraft: Bool
    ) -> Answer {
        switch intent {
        case .keep:
            let notice: EditorText = isDraft ? .noticeDraft : .noticeSaved
            return .redirect("/classes/\(classID)", notice: Notice(notice))
        case .publish: return .redirect("/handouts/\(id)/publish")
        case .add("tool"): return .redirect("/handouts/\(id)/tools")
        case .add("link"): return .redirect("/handouts/\(id)/link")
        case .add("time"): return .redirect("/handouts/\(id)/time")
        case .add: return .redirect("/handouts/\(id)/activities")
        case .move, .remove: return .redirect("/handouts/\(id)/edit#tasks")
        }
    }
}

extension EditedHandout {
    /// When it is due as the form shows it, which knows no seconds.
    fileprivate func dueAsTyped(_ visit: Visit) -> Timestamp? {
        HandoutForm(self, visit).due(visit)
    }

    /// The tasks after a button was pressed; `nil` where they stay as they are.
    fileprivate func tasks(after intent: HandoutEditor.Intent) -> [HandoutTask]? {
        var tasks = self.tasks
        switch intent {
        case .move(let id, let step):
            guard let index = tasks.firstIndex(where: { $0.id == id }),
                tasks.indices.contains(index + step)
            else { return nil }
            tasks.swapAt(index, index + step)
        case .remove(let id, _): tasks.removeAll { $0.id == id }
        case .keep, .publish, .add: return nil
        }
        return tasks
    }
}
