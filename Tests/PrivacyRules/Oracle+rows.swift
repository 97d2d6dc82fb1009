/// The column names for data that shows progress, and under which a database may keep it.
package enum Record: String, CaseIterable, Sendable {
    case handout
    case recipient
    case task
    /// With what was noted: opened, done.
    case assignment
    case activity
    case activityItem
    /// That an activity counts for an assignment.
    case count
    /// What the activities of a student that count for an assignment come to.
    case figures
    /// A context that an app saved in the name of a person.
    case ownContext
}

extension Oracle {
    /// Everything of a kind that a viewer sees.
    package func records(_ kind: Record, seenBy viewer: Viewer) -> Set<String> {
        switch kind {
        case .handout: Set(handouts(seenBy: viewer).map(\.text))
        case .recipient: Set(chosen(seenBy: viewer).map { "\($0.handout) to \($0.student)" })
        case .task: Set(tasks(seenBy: viewer).map(\.name.text))
        case .assignment:
            Set(
                assignments(seenBy: viewer).map {
                    Wording.assignment($0.task, $0.student, notes[$0] ?? Noted())
                })
        case .activity: Set(activities(seenBy: viewer).map(\.description))
        case .activityItem:
            Set(
                counts(seenBy: viewer).map {
                    Wording.item(
                        $0.activity, $0.task,
                        edition: figures(of: $0.activity, at: $0.task)?.edition ?? 0)
                })
        case .ownContext:
            Set(own(seenBy: viewer).map { Wording.own($0.owner, edition: today.own[$0] ?? 0) })
        case .figures: figures(seenBy: viewer)
        case .count:
            Set(
                counts(seenBy: viewer).map {
                    Wording.count(
                        $0.activity, $0.task,
                        seconds: figures(of: $0.activity, at: $0.task)?.seconds ?? 0)
                })
        }
    }
}

extension Oracle {
    /// Of every student at every task where the viewer sees attempts.
    private func figures(seenBy viewer: Viewer) -> Set<String> {
        let pairs = Set(
            counts(seenBy: viewer).map { Assignment(task: $0.task, student: $0.activity.student) })
        return Set(
            pairs.map { pair in
                let attempts = attempts(at: pair.task).filter { $0.name.student == pair.student }
                return Wording.figures(
                    pair.task, pair.student, attempts: attempts.count,
                    seconds: attempts.reduce(0) { $0 + $1.figures.seconds })
            })
    }
}

extension Wording {
    package static func figures(
        _ task: TaskName, _ student: PersonName, attempts: Int, seconds: Int
    ) -> String {
        "\(task) of \(student) comes to \(attempts) attempts, \(seconds) seconds"
    }

    package static func assignment(
        _ task: TaskName, _ student: PersonName, _ noted: Noted
    ) -> String {
        "\(task) of \(student):\(noted)"
    }

    package static func own(_ owner: PersonName, edition: Int) -> String {
        "own context of \(owner): item \(edition)"
    }

    package static func count(
        _ activity: ActivityName, _ task: TaskName, seconds: Int
    ) -> String {
        "\(activity) for \(task): \(seconds) seconds"
    }

    package static func item(
        _ activity: ActivityName, _ task: TaskName, edition: Int
    ) -> String {
        "\(activity) for \(task): item \(edition)"
    }
}
