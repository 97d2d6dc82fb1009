import Contract
import JSONBytes
import Values

enum MyHandoutText: String, TextKey {
    case path, due, wasDue, done, locked, completed, lockedNote, completedNote
    case recordedTitle, recorded, notRecordedTitle, notRecorded, recordedLink, teachers
    case inApp, minutesInApp, linkTo, openApp, openLink, markDone, markUndone, about
    case askedAgain, gaveBack, returnedOn, quote, latest, attempts
    case noticeDone, noticeUndone

    static let section = "myHandout"
}

/// `/my-work/{id}`: one handout with its tasks.
enum MyHandoutPage: Screen {
    static var pages: [Page] {
        let own: [Page] = [
            .show("/my-work/{id}", for: .student, load: load) { view($0, nil, .none, $1) },
            .post("/my-work/{id}/tasks/{task}/opened", for: .student) { _, visit in
                try await visit.api.put("/v1/assignments/\(visit["task"])/opened")
                return .redirect("/my-work/\(visit["id"])/tasks/\(visit["task"])")
            },
            .post("/my-work/{id}/tasks/{task}/done", for: .student) { _, visit in
                try await mark(visit, MyHandoutText.noticeDone) {
                    try await visit.api.put("/v1/assignments/\(visit["task"])/done")
                }
            },
            .post("/my-work/{id}/tasks/{task}/undone", for: .student) { _, visit in
                try await mark(visit, MyHandoutText.noticeUndone) {
                    try await visit.api.delete("/v1/assignments/\(visit["task"])/done")
                }
            },
        ]
        return own
            + Talk.forms(for: .student) { form, problems, visit in
                view(try await load(visit), form, problems, visit)
            }
    }

    /// A handout that was locked or completed in the meantime says so itself.
    private static func mark(
        _ visit: Visit, _ notice: MyHandoutText, _ change: () async throws -> Void
    ) async throws -> Answer {
        let handout: LocalPath = "/my-work/\(visit["id"])"
        do {
            try await change()
        } catch let refusal as Refusal where refusal.status == 409 {
            return .redirect(handout)
        }
        return .redirect(handout, notice: Notice(notice))
    }

    struct Content: Sendable {
        let handout: MyHandout
        let apps: MyApps
        /// By the id of the task.
        let figures: [String: MyFigures]
        let talk: Talk?
        let worth: Worth
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let apps = MyApps.load(visit)
        async let talk = Talk.load(visit, of: .student)
        async let worth = Worth.load(visit["id"], of: visit.person?.id ?? "", visit)
        let handout = MyHandout(try await visit.api.get("/v1/me/handouts/\(visit["id"])"))
        return try await Content(
            handout: handout, apps: apps, figures: figures(of: handout, visit), talk: talk,
            worth: worth)
    }

    /// The report on what was published in the same moment, which is this handout and hardly another.
    private static func figures(
        of handout: MyHandout, _ visit: Visit
    ) async throws -> [String: MyFigures] {
        guard let start = handout.publishAt, handout.tasks.contains(where: \.isReported)
        else { return [:] }
        let end = Timestamp(milliseconds: start.milliseconds + 1)
        let report = try await visit.api.get(
            "/v1/me/report?from=\(start.description)&to=\(end.description)")
        let own = report["handouts"]?.array?.first { $0["handoutId"]?.text == handout.id }
        let tasks = (own?["tasks"]?.array ?? []).compactMap { task in
            task["taskId"]?.text.map { ($0, MyFigures(task)) }
        }
        return Dictionary(tasks) { first, _ in first }
    }

    private static func view(
        _ content: Content, _ form: Form?, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let handout = content.handout
        return View(handout.title) {
            div {
                studentPath(texts, [("/my-work", texts(WorkText.title))])
                heading(
                    handout.title,
                    below: dotted([
                        written(handout.className), handout.teachers.names(texts),
                        .text(due(handout, visit)),
                    ]), tags: .parts(tags(handout, texts)))
            }
            problems.summary(texts(TalkText.errorsTitle))
            if let instructions = handout.instructions { writtenLines(instructions, "reading") }
            div(.class("stack reading")) {
                if handout.isClosed {
                    notice(.warn, handout.isCompleted ? .completed : .locked) {
                        p {
                            texts(
                                handout.isCompleted
                                    ? MyHandoutText.completedNote : .lockedNote)
                        }
                    }
                }
                if let mark = content.worth.given(nil) {
                    notice(.good, .returned) {
                        p { strong { texts(MarkText.own, ["mark": texts.worth(mark)]) } }
                        p(.class("small soft")) {
                            texts(
                                MyHandoutText.returnedOn, ["when": visit.moment(mark.givenAt)])
                        }
                    }
                }
                recording(content, visit)
                ol(.class("stack plain")) {
                    for task in handout.tasks { li(.class("card")) { card(task, content, visit) } }
                }
                if content.figures.values.contains(where: { $0.attempts > 0 }) {
                    p {
                        a(.href("/progress/\(handout.id)")) { texts(MyHandoutText.attempts) }
                    }
                }
                content.talk?.card(
                    .text(texts(TalkText.title)), hint: texts(TalkText.sayHintOfStudent), form,
                    problems, visit) ?? .nothing
            }
        }
    }

    static func due(_ handout: MyHandout, _ visit: Visit) -> String {
        guard let due = handout.dueAt else { return visit.texts(WorkText.noDue) }
        return visit.texts(
            due < visit.now ? MyHandoutText.wasDue : .due, ["when": visit.moment(due)])
    }

    @HTMLBuilder
    private static func tags(_ handout: MyHandout, _ texts: Texts) -> [HTML] {
        let done = handout.tasks.count { $0.state.doneAt != nil }
        if handout.isCompleted {
            tag(texts(MyHandoutText.completed), .completed, .line)
        } else if handout.isLocked {
            tag(texts(MyHandoutText.locked), .locked, .warn)
        } else if handout.tasks.contains(where: { $0.state.isLate && $0.state.doneAt == nil }) {
            tag(texts(WorkText.tagOverdue), .late, .bad)
        }
        tag(
            texts(
                MyHandoutText.done, count: handout.tasks.count, ["done": texts.number(done)]),
            done == handout.tasks.count ? .done : .unopened,
            done == handout.tasks.count ? .good : .plain)
    }

    /// For whom, since when and by which apps progress is recorded.
    private static func recording(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let (handout, apps) = (content.handout, content.apps)
        let recorded = handout.tasks.filter { $0.recordedSince != nil }
        guard let since = recorded.compactMap(\.recordedSince).min() else {
            guard !handout.isClosed, handout.tasks.contains(where: \.isReported)
            else { return .nothing }
            return notice(.plain, .off) {
                h2 { texts(MyHandoutText.notRecordedTitle) }
                p { texts(MyHandoutText.notRecorded) }
            }
        }
        let names = Set(recorded.compactMap { $0.reporter(apps) }).sorted()
        return notice(.plain, .shield) {
            h2 { texts(MyHandoutText.recordedTitle) }
            p {
                texts.html(
                    MyHandoutText.recorded,
                    [
                        "teachers": recipients(handout, texts),
                        "class": written(handout.className),
                        "when": .text(visit.moment(since)),
                        "apps": texts.list(names.map(written)),
                    ])
            }
            p { a(.href("/recorded")) { texts(MyHandoutText.recordedLink) } }
        }
    }

    /// The teachers by name; a class without any for now still has some.
    static func recipients(_ handout: MyHandout, _ texts: Texts) -> HTML {
        handout.teachers.isEmpty
            ? .text(texts(MyHandoutText.teachers)) : handout.teachers.names(texts)
    }
}
