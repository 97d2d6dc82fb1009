import HTTPWire
import JSONBytes
import Values

/// `/handouts/{id}/publish`: gives a handout to its students, now or at a time that can be changed until then.
enum Publication: Screen {
    static var pages: [Page] {
        [
            .get("/handouts/{id}/publish", for: .teacher) { visit in
                let handout = try await EditedHandout.load(visit["id"], visit.api)
                return .view(view(handout, Choice(handout, visit), visit))
            },
            .post("/handouts/{id}/publish", for: .teacher, publish),
        ]
    }

    private static func publish(_ form: Form, _ visit: Visit) async throws -> Answer {
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        let choice = Choice(form)
        let isNowInstead = form["does"] == choice.insteadOfFields
        var problems = FormProblems.none
        let moment = isNowInstead ? nil : choice.moment(&problems, visit)
        guard problems.isEmpty else {
            return .view(view(handout, choice, problems: problems, visit).refused())
        }
        if let question = question(form, choice, moment, handout, visit) {
            var shown = choice
            // Which of the two it is has been said: it is not asked again.
            if isNowInstead { (shown.date, shown.time) = ("", "") }
            return .view(view(handout, shown, question: question, visit).refused())
        }
        do {
            let body: JSONValue? = moment.map { ["publishAt": .text($0.description)] }
            try await visit.api.send(
                .put, "/v1/handouts/\(handout.id)/publication", body,
                headers: [(name: "If-Match", value: form["tag"])])
        } catch let refusal as Refusal where refusal.isForForm {
            problems.add("publication", TeachingText.sentence(refusal, visit.texts))
            return .view(view(handout, choice, problems: problems, visit).refused(refusal))
        }
        let notice: ActionText = moment == nil ? .noticePublished : .noticeScheduled
        return .redirect("/classes/\(handout.classID)", notice: Notice(notice))
    }

    /// What must be asked first: a contradiction is never guessed.
    private static func question(
        _ form: Form, _ choice: Choice, _ moment: Timestamp?, _ handout: EditedHandout,
        _ visit: Visit
    ) -> Question? {
        guard [choice.promise, choice.insteadOfFields].contains(form["does"]) else {
            return .differs
        }
        guard let doubt = Doubt(due: handout.summary.dueAt, appears: moment, visit),
            form["anyway"] != doubt.answer
        else { return nil }
        return .due(doubt)
    }

    private static func view(
        _ handout: EditedHandout, _ choice: Choice, problems: FormProblems = .none,
        question: Question? = nil, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(ActionText.publishTitle)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs([("/handouts/\(handout.id)/edit", handout.summary.title)], texts)
                heading(title, below: written(handout.summary.title))
            }
            problems.summary(texts(ActionText.errorsTitle))
            postForm(visit, visit.address, .class("card reading"), .id("publication")) {
                input(.type("hidden"), .name("tag"), .value(handout.tag))
                if let question { asked(question, handout, visit) }
                p { texts(ActionText.publishText) }
                ul {
                    li { texts(ActionText.publishTasks, count: handout.tasks.count) }
                    if let chosen = handout.chosen {
                        li { texts(ActionText.publishChosen, count: chosen.count) }
                    } else {
                        li { texts(ActionText.publishEveryone) }
                    }
                }
                whenFields(choice, problems, texts)
                buttons(handout, choice, question, visit)
            }
        }
    }

    private static func asked(
        _ question: Question, _ handout: EditedHandout, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return div(.role("alert"), .tabindex(-1), .autofocus) {
            notice(.warn, .warn) {
                switch question {
                case .differs:
                    h2 { texts(ActionText.differsTitle) }
                    p { texts(ActionText.differs) }
                case .due(let doubt):
                    h2 {
                        texts(doubt.appears == nil ? ActionText.duePastTitle : .dueBeforeTitle)
                    }
                    p { doubt.words(visit) }
                    p {
                        a(.href("/handouts/\(handout.id)/edit")) { texts(ActionText.changeDue) }
                    }
                    input(.type("hidden"), .name("anyway"), .value(doubt.answer))
                }
            }
        }
    }

    private static func whenFields(
        _ chosen: Choice, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        fieldset {
            legend { texts(ActionText.whenLegend) }
            p(.class("hint")) { texts(ActionText.whenHint) }
            div(.class("row row-end")) {
                field(
                    "date", label: texts(ActionText.date), problem: problems["date"],
                    style: "input input-short", .type("date"), .value(chosen.date))
                field(
                    "time", label: texts(ActionText.time), style: "input input-short",
                    .type("time"), .value(chosen.time))
            }
        }
    }

    private static func buttons(
        _ handout: EditedHandout, _ choice: Choice, _ question: Question?, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let now = Choice(Form.none)
        let words =
            if case .due = question { texts(ActionText.anyway) } else {
                Publication.words(choice, handout, visit)
            }
        return div(.class("row")) {
            button(
                .class("button button-main"), .type("submit"), .name("does"),
                .value(choice.promise),
                // For the script, which keeps the words true while the fields change.
                Attribute("data-now", Publication.words(now, handout, visit)),
                Attribute("data-later", scheduleWords("{when}", handout, texts)),
                Attribute("data-neither", texts(ActionText.publishButton))
            ) { words }
            if case .differs = question, !choice.isNow {
                button(
                    .class("button"), .type("submit"), .name("does"),
                    .value(choice.insteadOfFields)
                ) { Publication.words(now, handout, visit) }
            }
            a(.class("button button-plain"), .href("/handouts/\(handout.id)/edit")) {
                texts(TeachingText.cancel)
            }
        }
    }
}
