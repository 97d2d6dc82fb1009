/// What a viewer learns of an assignment in a report, in words.
extension Oracle {
    /// The cells of a handout's report that say anything about the student: noted, or attempted.
    ///
    /// - Parameter only: the student, if the report is about one.
    package func cells(
        of name: HandoutName, seenBy viewer: Viewer, only: PersonName? = nil
    ) -> Set<String> {
        guard let given = today.given[name], sees(viewer, given) else { return [] }
        var cells: Set<String> = []
        for task in given.handout.tasks {
            let attempts = Dictionary(grouping: attempts(at: task.name)) { $0.name.student }
            let noted = notes.filter { $0.key.task == task.name && $0.value.saysAnything }
            for student in Set(attempts.keys).union(noted.keys.map(\.student))
            where only == nil || only == student {
                cells.insert(cell(task.name, student, attempts[student] ?? []))
            }
        }
        return cells
    }

    private func cell(_ task: TaskName, _ student: PersonName, _ attempts: [Attempt]) -> String {
        let noted = shown(task, of: student)
        let latest = attempts.max { $0.start < $1.start }
        return Wording.cell(
            task, student, noted, attempts: attempts.count,
            seconds: attempts.reduce(0) { $0 + $1.figures.seconds },
            progress: latest?.figures.progress, edition: latest?.figures.edition)
    }

    /// What the class average of each task reveals: the number of students, and their mean seconds.
    package func averages(of name: HandoutName, seenBy viewer: Viewer) -> Set<String> {
        guard let given = today.given[name], sees(viewer, given) else { return [] }
        return Set(
            given.handout.tasks.map { task in
                let attempts = attempts(at: task.name)
                let students = Set(attempts.map(\.name.student)).count
                let seconds = attempts.reduce(0) { $0 + $1.figures.seconds }
                return Wording.average(
                    task.name, students: students,
                    seconds: students == 0 ? nil : Double(seconds) / Double(students))
            })
    }

    /// Every attempt of a student at the tasks of a handout.
    package func attempts(
        of student: PersonName, in name: HandoutName, seenBy viewer: Viewer
    ) -> Set<String> {
        guard let given = today.given[name], sees(viewer, given) else { return [] }
        return Set(
            given.handout.tasks.flatMap { task in
                attempts(at: task.name).filter { $0.name.student == student }.map {
                    Wording.attempt($0.name, task.name, $0.figures)
                }
            })
    }

    /// Every attempt that a viewer sees, at every task it counts for.
    package func attempts(seenBy viewer: Viewer) -> Set<String> {
        Set(
            counts(seenBy: viewer).compactMap { count in
                figures(of: count.activity, at: count.task).map {
                    Wording.attempt(count.activity, count.task, $0)
                }
            })
    }

    /// The assignments in a student's own list: opened, done, and whether an app's reports are recorded now.
    package func list(of student: PersonName, in world: World) -> Set<String> {
        var list: Set<String> = []
        for given in today.given.values where sees(.student(student, world), given) {
            for task in given.handout.tasks {
                let noted = shown(task.name, of: student)
                let isRecorded =
                    today.isProgressOn && !today.pausedStudents.contains(student)
                    && today.has(task)
                    && isOpen(given, to: student, at: now, today)
                list.insert(Wording.listed(task.name, noted, isRecorded: isRecorded))
            }
        }
        return list
    }

    /// The marks (editions) of the attempts and notes that a viewer sees: what any answer to that viewer may contain.
    package func marks(seenBy viewer: Viewer) -> Set<Int> {
        Set(
            counts(seenBy: viewer).compactMap { figures(of: $0.activity, at: $0.task)?.edition }
        )
        .union(assignments(seenBy: viewer).compactMap { notes[$0]?.givenBack?.edition })
        .union(own(seenBy: viewer).compactMap { today.own[$0] })
        // A task has the title that its context had.
        .union(tasks(seenBy: viewer).compactMap { $0.own.flatMap { saved[$0] } })
    }

    /// What teachers gave back, as far as a viewer sees it.
    package func returns(seenBy viewer: Viewer) -> Set<String> {
        Set(
            assignments(seenBy: viewer).compactMap { assignment in
                notes[assignment].flatMap { noted in
                    noted.givenBack == nil
                        ? nil
                        : Wording.assignment(
                            assignment.task, assignment.student,
                            shown(assignment.task, of: assignment.student))
                }
            })
    }

    /// What a viewer is shown of assignments of which there is anything to say: noted, or attempted.
    package func assigned(seenBy viewer: Viewer) -> Set<String> {
        let attempted = counts(seenBy: viewer).filter {
            figures(of: $0.activity, at: $0.task) != nil
        }.map { Assignment(task: $0.task, student: $0.activity.student) }
        return Set(
            assignments(seenBy: viewer).union(attempted).compactMap {
                let noted = shown($0.task, of: $0.student)
                return noted.saysAnything ? Wording.assignment($0.task, $0.student, noted) : nil
            })
    }

    /// What was noted about an assignment, as it is shown: who has attempted it has opened it.
    func shown(_ task: TaskName, of student: PersonName) -> Noted {
        var noted = notes[Assignment(task: task, student: student)] ?? Noted()
        noted.isOpened =
            noted.isOpened || attempts(at: task).contains { $0.name.student == student }
        return noted
    }

    /// The marks of everything kept about a person: what the archive of the person's data holds.
    package func marks(of student: PersonName) -> Set<Int> {
        Set(
            kept.filter { $0.key.student == student }
                .flatMap { $0.value.parts.map(\.part.edition) }
        )
        .union(saved.filter { $0.key.owner == student }.values)
        .union(
            notes.filter { $0.key.student == student }.compactMap {
                $0.value.givenBack?.edition
            })
    }

    /// The names of everything kept about a person.
    package func activities(of student: PersonName) -> Set<ActivityName> {
        Set(kept.keys.filter { $0.student == student })
    }
}

/// How facts are worded, both by the oracle and by the readers of answers, so that they can be compared.
package enum Wording {
    /// What is reported of an attempt.
    package struct Figures: Sendable {
        package let progress: Int?
        package let seconds: Int
        package let edition: Int?

        package init(progress: Int?, seconds: Int, edition: Int?) {
            self.progress = progress
            self.seconds = seconds
            self.edition = edition
        }
    }

    package static func cell(
        _ task: TaskName, _ student: PersonName, _ noted: Noted, attempts: Int, seconds: Int,
        progress: Int?, edition: Int?
    ) -> String {
        "\(task) of \(student):\(noted)"
            + " \(attempts) attempts, \(seconds) seconds, \(text(progress)) %, item \(text(edition))"
    }

    package static func average(_ task: TaskName, students: Int, seconds: Double?) -> String {
        let mean = seconds.map { String(($0 * 10).rounded() / 10) } ?? "no"
        return "\(task) on average: \(students) students, \(mean) seconds"
    }

    package static func attempt(
        _ activity: ActivityName, _ task: TaskName, _ figures: Figures
    ) -> String {
        "\(activity) counts for \(task): \(figures.seconds) seconds, \(text(figures.progress)) %,"
            + " item \(text(figures.edition))"
    }

    package static func listed(_ task: TaskName, _ noted: Noted, isRecorded: Bool) -> String {
        "\(task) is listed:\(noted)" + (isRecorded ? " recorded" : " not recorded")
    }

    private static func text(_ number: Int?) -> String { number.map(String.init) ?? "no" }
}
