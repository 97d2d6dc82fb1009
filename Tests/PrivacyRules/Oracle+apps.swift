/// What reports over one app reveal: of the tasks in that app, and of nothing else.
extension Oracle {
    /// For each app in which a class has published tasks: how many, and what all students did at them.
    package func apps(of classroom: ClassName, seenBy viewer: Viewer) -> Set<String> {
        let tasks = publishedTasks(in: classroom, seenBy: viewer)
        return Set(
            Dictionary(grouping: tasks, by: \.context.app).map { app, tasks in
                let attempts = tasks.flatMap { self.attempts(at: $0.name) }
                return Wording.app(
                    app, tasks: tasks.count, attempts: attempts.count,
                    seconds: attempts.reduce(0) { $0 + $1.figures.seconds },
                    students: Set(attempts.map(\.name.student)).count)
            })
    }

    /// What the report of a class says about its tasks in an app.
    package func summaries(
        of classroom: ClassName, in app: String, seenBy viewer: Viewer
    ) -> Set<String> {
        Set(
            publishedTasks(in: classroom, seenBy: viewer).filter { $0.context.app == app }
                .map { summary(of: $0.name) })
    }

    /// What each student did at the tasks of a class in an app, of those who did anything.
    package func students(
        of classroom: ClassName, in app: String, seenBy viewer: Viewer
    ) -> Set<String> {
        let tasks = publishedTasks(in: classroom, seenBy: viewer)
            .filter { $0.context.app == app }.map(\.name)
        let attempts = Dictionary(grouping: tasks.flatMap { self.attempts(at: $0) }) {
            $0.name.student
        }
        let noted = Set(notes.keys.filter { tasks.contains($0.task) }.map(\.student))
        return Set(
            noted.union(attempts.keys).compactMap { student in
                let shown = tasks.map { self.shown($0, of: student) }
                return Wording.appStudent(
                    student, opened: shown.count { $0.isOpened }, done: shown.count { $0.isDone },
                    attempts: attempts[student]?.count ?? 0,
                    seconds: (attempts[student] ?? []).reduce(0) { $0 + $1.figures.seconds })
            })
    }

    /// Whose work insights may compare: who is recorded and sits in the class; with everything that the viewer sees of
    /// it, which is never less than that of some weeks.
    package func compared(
        in classroom: ClassName, seenBy viewer: Viewer
    ) -> [PersonName: (tasks: Int, done: Int, seconds: Int)] {
        guard today.isProgressOn else { return [:] }
        let tasks = publishedTasks(in: classroom, seenBy: viewer).map(\.name)
        let students = today.students(in: classroom, at: today.archivedAt[classroom] ?? now)
            .subtracting(today.pausedStudents)
        return Dictionary(
            uniqueKeysWithValues: students.map { student in
                let done = tasks.count {
                    notes[Assignment(task: $0, student: student)]?.isDone ?? false
                }
                let attempts = tasks.flatMap { self.attempts(at: $0) }
                    .filter { $0.name.student == student }
                return (
                    student,
                    (tasks.count, done, attempts.reduce(0) { $0 + $1.figures.seconds })
                )
            })
    }

    private func publishedTasks(in classroom: ClassName, seenBy viewer: Viewer) -> [Task] {
        published(in: classroom, seenBy: viewer).flatMap { today.given[$0]?.handout.tasks ?? [] }
    }
}

extension Wording {
    package static func app(
        _ app: String, tasks: Int, attempts: Int, seconds: Int, students: Int
    ) -> String {
        "\(app): \(tasks) tasks, \(attempts) attempts, \(seconds) seconds, \(students) students"
    }

    /// `nil` for a student who did nothing.
    package static func appStudent(
        _ student: PersonName, opened: Int, done: Int, attempts: Int, seconds: Int
    ) -> String? {
        guard opened + done + attempts > 0 else { return nil }
        return
            "\(student): opened \(opened), did \(done), \(attempts) attempts, \(seconds) seconds"
    }
}
