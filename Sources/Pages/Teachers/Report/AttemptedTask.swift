import JSONBytes
import Values

/// A task with every attempt of one student.
struct AttemptedTask: Sendable {
    /// One run of the student at the task.
    struct Attempt: Sendable {
        let startedAt: Timestamp?
        let stoppedAt: Timestamp?
        let seconds: Double
        let progress: Double?
        /// Whether a newer attempt was begun since.
        let isFinal: Bool
        let primary: ActivityItem?
        let items: [ActivityItem]

        init(_ attempt: JSONValue) {
            startedAt = attempt.moment("startedAt")
            stoppedAt = attempt.moment("stoppedAt")
            seconds = attempt["durationSeconds"]?.double ?? 0
            progress = attempt["progress"]?.double
            isFinal = attempt["isFinal"]?.bool ?? false
            primary = ActivityItem(attempt["primaryItem"])
            items = (attempt["additionalItems"]?.array ?? []).compactMap { ActivityItem($0) }
        }
    }

    let id: String
    let title: String
    let work: TaskWork
    /// The oldest first.
    let attempts: [Attempt]

    init(_ task: JSONValue) {
        id = task["taskId"]?.text ?? ""
        title = task["title"]?.text ?? ""
        work = TaskWork(task)
        attempts = (task["attempts"]?.array ?? []).map(Attempt.init)
    }
}

// MARK: As a card

extension AttemptedTask {
    /// - Parameter isNumbered: whether these are the student's first attempts, so that the first is number 1.
    func card(_ visit: Visit, isNumbered: Bool) -> HTML {
        let texts = visit.texts
        return section(.class("card"), .labelledBy("task-\(id)")) {
            div(.class("row row-apart")) {
                h2(.id("task-\(id)"), .dirAuto) { title }
                div(.class("row")) {
                    work.tags(texts)
                    span(.class("soft small")) { history(visit) }
                }
            }
            returned(visit)
            if attempts.isEmpty {
                p(.class("soft")) { texts(AttemptText.nothing) }
            } else {
                ol(.class("attempts")) {
                    for (index, attempt) in attempts.enumerated().reversed() {
                        li(.class("stack")) {
                            self.attempt(attempt, isNumbered ? index + 1 : nil, visit)
                        }
                    }
                }
            }
        }
    }

    private func history(_ visit: Visit) -> String {
        [
            work.openedAt.map { visit.texts(AttemptText.openedAt, ["when": visit.moment($0)]) },
            work.doneAt.map { visit.texts(AttemptText.doneAt, ["when": visit.moment($0)]) },
        ].compactMap { $0 }.joined(separator: " · ")
    }

    private func returned(_ visit: Visit) -> HTML {
        guard let returned = work.returned else { return .nothing }
        let when = ["when": returned.at.map(visit.moment) ?? ""]
        return notice(.warn, .returned) {
            p {
                visit.texts(
                    returned.asksAgain ? AttemptText.givenBackAgain : .givenBack, when)
            }
            if let note = returned.note { p(.dirAuto) { note } }
        }
    }

    @HTMLBuilder
    private func attempt(_ attempt: Attempt, _ number: Int?, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let figures = [attempt.progress.map(texts.percent), texts.duration(attempt.seconds)]
            .compactMap { $0 }.joined(separator: " · ")
        div(.class("row row-apart")) {
            h3 {
                if let number {
                    texts(AttemptText.attempt, ["n": texts.number(number)])
                    " "
                }
                if !attempt.isFinal { span(.class("tag tag-info")) { texts(AttemptText.latest) } }
            }
            span(.class("soft small")) { period(attempt, visit) }
        }
        div(.class("row")) {
            if let primary = attempt.primary {
                span(.class("figure-l")) { primary.words(texts) }
                span(.class("soft"), .dirAuto) { primary.title }
            }
            span(.class("soft")) { figures }
        }
        if let progress = attempt.progress { progressBar(progress) }
        if !attempt.items.isEmpty { items(attempt.items, isOpen: !attempt.isFinal, texts) }
    }

    private func period(_ attempt: Attempt, _ visit: Visit) -> String {
        guard let start = attempt.startedAt else { return "" }
        let from = visit.moment(start)
        guard let end = attempt.stoppedAt else {
            return attempt.isFinal ? from : visit.texts(AttemptText.running, ["from": from])
        }
        let (first, last) = (visit.local(start), visit.local(end))
        return first.day == last.day
            ? visit.texts(AttemptText.fromTo, ["from": from, "to": visit.texts.time(last)])
            : visit.texts(AttemptText.fromToDay, ["from": from, "to": visit.moment(end)])
    }

    private func items(_ items: [ActivityItem], isOpen: Bool, _ texts: Texts) -> HTML {
        details(.class("fold"), Attribute("open", if: isOpen)) {
            summary { texts(AttemptText.items, count: items.count) }
            ul(.class("list")) {
                for item in items {
                    li {
                        (item.isRight.map { $0 ? Icon.done : .cross } ?? .info).html
                        div(.class("grow")) { p(.dirAuto) { item.title } }
                        span(
                            .class(
                                item.isRight.map { $0 ? "good strong number" : "bad strong number" }
                                    ?? "strong number")
                        ) { item.words(texts) }
                    }
                }
            }
        }
    }
}
