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

    /// When students see it, as it was typed.
    private struct Choice: Sendable {
        var isLater = false
        var date = ""
        var time = ""

        init(_ handout: EditedHandout, _ visit: Visit) {
            guard handout.summary.state == .scheduled, let moment = handout.summary.publishAt
            else { return }
            isLater = true
            (date, time) = visit.local(moment).fields
        }

        init(_ form: Form) {
            isLater = form["when"] == "later"
            date = form["date"].trimmedSpace
            time = form["time"].trimmedSpace
        }

        /// Notes in `problems` what is not a moment to come.
        func moment(_ problems: inout FormProblems, _ visit: Visit) -> Timestamp? {
            let texts = visit.texts
            guard let day = Day(date), let local = LocalTime(day: day, time: time) else {
                problems.add("date", texts(ActionText.errorMoment))
                return nil
            }
            let moment = local.moment(in: visit.person?.timeZone ?? .utc)
            if moment <= visit.now { problems.add("date", texts(ActionText.errorPast)) }
            return moment
        }
    }

    private static func publish(_ form: Form, _ visit: Visit) async throws -> Answer {
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        let choice = Choice(form)
        var problems = FormProblems.none
        let moment = choice.isLater ? choice.moment(&problems, visit) : nil
        guard problems.isEmpty else {
            return .view(view(handout, choice, problems: problems, visit).refused())
        }
        do {
            let body: JSONValue? = moment.map { ["publishAt": .text($0.description)] }
            try await visit.api.send(
                .post, "/v1/handouts/\(handout.id)/publication", body,
                headers: [(name: "If-Match", value: form["tag"])])
        } catch let refusal as Refusal where refusal.isForForm {
            problems.add("publication", TeachingText.sentence(refusal, visit.texts))
            return .view(view(handout, choice, problems: problems, visit).refused(refusal))
        }
        let notice: ActionText = moment == nil ? .noticePublished : .noticeScheduled
        return .redirect("/classes/\(handout.classID)", notice: Notice(notice))
    }

    private static func view(
        _ handout: EditedHandout, _ choice: Choice, problems: FormProblems = .none,
        _ visit: Visit
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
                p { texts(ActionText.publishText) }
                ul {
                    li { texts(ActionText.publishTasks, count: handout.tasks.count) }
                    if let chosen = handout.chosen {
                        li { texts(ActionText.publishChosen, count: chosen.count) }
                    } else {
                        li { texts(ActionText.publishEveryone) }
                    }
                }
                fieldset {
                    whenFields(choice, problems, texts)
                }
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        texts(ActionText.publishButton)
                    }
                    a(.class("button button-plain"), .href("/handouts/\(handout.id)/edit")) {
                        texts(TeachingText.cancel)
                    }
                }
            }
        }
    }

    private static func whenFields(
        _ chosen: Choice, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        parts {
            choice("when", "now", isChosen: !chosen.isLater) { texts(ActionText.now) }
            choice("when", "later", isChosen: chosen.isLater) { texts(ActionText.later) }
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
}
