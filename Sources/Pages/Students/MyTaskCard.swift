/// The card of one task on the page of its handout.
extension MyHandoutPage {
    @HTMLBuilder
    static func card(_ task: MyTask, _ content: Content, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        div(.class("row row-apart")) {
            div(.class("row")) {
                if let picture = task.picture { ContextPicture.html(picture) }
                div {
                    h2(.dirAuto) { task.title }
                    p(.class("small soft")) { kind(task, content.apps, texts) }
                }
            }
            div(.class("row")) {
                task.state.tags(isClosed: content.handout.isClosed, texts)
            }
        }
        if let returned = task.state.returned { returnNote(returned, task.state, visit) }
        if let mark = content.worth.given(task.id) {
            p { strong { texts(MarkText.own, ["mark": texts.worth(mark)]) } }
        }
        if let figures = content.figures[task.id], figures.attempts > 0 {
            meter(figures, texts)
        }
        div(.class("row")) { buttons(task, content, visit) }
    }

    /// `10 minutes in Quizzler`.
    static func kind(_ task: MyTask, _ apps: MyApps, _ texts: Texts) -> HTML {
        guard let bundleID = task.bundleID else {
            if let tool = task.toolName {
                return texts.html(MyHandoutText.inApp, ["app": written(tool)])
            }
            guard let host = task.host else { return .nothing }
            return texts.html(MyHandoutText.linkTo, ["host": written(host)])
        }
        let app = written(apps.name(bundleID))
        guard let minutes = task.minutes else {
            return texts.html(MyHandoutText.inApp, ["app": app])
        }
        return texts.html(MyHandoutText.minutesInApp, count: minutes, ["app": app])
    }

    /// What the teacher wrote when the work was given back.
    static func returnNote(_ returned: MyState.Return, _ state: MyState, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return notice(.warn, .returned) {
            p {
                strong { texts(state.isToTryAgain ? MyHandoutText.askedAgain : .gaveBack) }
            }
            if let note = returned.note {
                writtenLines(texts(MyHandoutText.quote, ["note": note]))
            }
            if let moment = returned.at {
                p(.class("small soft")) {
                    texts(MyHandoutText.returnedOn, ["when": visit.moment(moment)])
                }
            }
        }
    }

    private static func meter(_ figures: MyFigures, _ texts: Texts) -> HTML {
        progressMeter(figures.progress) {
            dotted([
                figures.item.map {
                    texts.html(MyHandoutText.latest, ["result": $0.sentence(texts)])
                } ?? .nothing,
                .text(figures.progress.map(texts.percent) ?? ""), figures.effort(texts),
            ])
        }
    }

    /// A bar below the words that say the same.
    static func progressMeter(
        _ share: Double?, @HTMLBuilder words: () -> [HTML]
    ) -> HTML {
        div(.class("meter")) {
            span(.class("number")) { parts(words) }
            if let share {
                progress(
                    Attribute("class", share >= 1 ? "is-good" : nil),
                    .value("\(Int((share * 100).rounded()))"), Attribute("max", "100"), .hidden)
            }
        }
    }

    @HTMLBuilder
    private static func buttons(_ task: MyTask, _ content: Content, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let isDone = task.state.doneAt != nil
        let base = content.handout.id
        let open =
            task.reporter(content.apps).map { texts(MyHandoutText.openApp, ["app": $0]) }
            ?? texts(MyHandoutText.openLink)
        postForm(visit, "/my-work/\(base)/tasks/\(task.id)/opened") {
            button(
                .class(isDone ? "button" : "button button-main"), .type("submit"),
                .label(texts(MyHandoutText.about, ["action": open, "task": task.title]))
            ) {
                Icon.out.html
                open
            }
        }
        if !content.handout.isClosed {
            let action = texts(isDone ? MyHandoutText.markUndone : .markDone)
            postForm(visit, "/my-work/\(base)/tasks/\(task.id)/\(isDone ? "undone" : "done")") {
                button(
                    .class(isDone ? "button button-plain" : "button"), .type("submit"),
                    .label(texts(MyHandoutText.about, ["action": action, "task": task.title]))
                ) { action }
            }
        }
    }
}
