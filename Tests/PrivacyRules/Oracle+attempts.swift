/// How much of an attempt counts.
extension Oracle {
    /// An attempt as it counts for a task.
    struct Attempt {
        let name: ActivityName
        let start: Moment
        let figures: Wording.Figures
    }

    /// Two uploads from a device with a wrong clock are not corrected by exactly the same amount.
    private static let jitterSeconds = 30

    /// The attempts that count for a task.
    func attempts(at task: TaskName) -> [Attempt] {
        kept.compactMap { name, attempt in
            figures(of: name, at: task).map {
                Attempt(name: name, start: attempt.start, figures: $0)
            }
        }
    }

    /// What an attempt comes to for a task: of the parts that were changed before the student's next attempt at it
    /// began, which makes it final. `nil` if it does not count.
    func figures(of name: ActivityName, at task: TaskName) -> Wording.Figures? {
        guard let attempt = kept[name] else { return nil }
        let next = kept.filter { other, value in
            other.student == name.student && other != name && value.tasks.contains(task)
                && value.start > attempt.start
        }.map(\.value.start).min()
        let parts = attempt.parts.filter { $0.tasks.contains(task) }.map(\.part).filter { part in
            next.map { part.changed < $0 * 60 + Self.jitterSeconds } ?? true
        }
        guard let latest = parts.max(by: { $0.changed < $1.changed }) else { return nil }
        return Wording.Figures(
            progress: parts.map(\.progress).max(),
            // A duration is at most the time from its start to its change.
            seconds: parts.map { min($0.seconds, $0.changed - $0.start * 60) }.max() ?? 0,
            edition: latest.edition)
    }
}
