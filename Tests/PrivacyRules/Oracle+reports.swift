/// What reports over several handouts, and item by item, reveal.
extension Oracle {
    /// Published handouts that a viewer sees: those of a class, or all.
    package func published(in classroom: ClassName? = nil, seenBy viewer: Viewer) -> [HandoutName] {
        today.given.values.filter { given in
            sees(viewer, given) && given.handout.publication.map { $0 <= now } ?? false
                && (classroom == nil || given.handout.classroom == classroom)
        }.map(\.handout.name)
    }

    /// What the report of a class says about each task: how many opened it, did it, and tried it.
    package func summaries(of classroom: ClassName, seenBy viewer: Viewer) -> Set<String> {
        published(in: classroom, seenBy: viewer).reduce(into: []) { summaries, name in
            summaries.formUnion(
                (today.given[name]?.handout.tasks ?? []).map { summary(of: $0.name) })
        }
    }

    func summary(of task: TaskName) -> String {
        let attempts = attempts(at: task)
        let attempting = Set(attempts.map(\.name.student))
        let noted = Set(notes.keys.filter { $0.task == task }.map(\.student)).union(attempting)
            .map { shown(task, of: $0) }
        let students = attempting.count
        let seconds = attempts.reduce(0) { $0 + $1.figures.seconds }
        return Wording.summary(
            task, opened: noted.count { $0.isOpened }, done: noted.count { $0.isDone },
            givenBack: noted.count { $0.givenBack != nil },
            average: Wording.average(
                task, students: students,
                seconds: students == 0 ? nil : Double(seconds) / Double(students)))
    }

    /// The cells of one student over the published handouts of a class, or all.
    package func cells(
        of student: PersonName, in classroom: ClassName? = nil, seenBy viewer: Viewer
    ) -> Set<String> {
        published(in: classroom, seenBy: viewer).reduce(into: []) {
            $0.formUnion(cells(of: $1, seenBy: viewer, only: student))
        }
    }

    /// The item of each student's latest attempt at a task.
    package func items(of task: TaskName, seenBy viewer: Viewer) -> Set<String> {
        guard tasks(seenBy: viewer).contains(where: { $0.name == task }) else { return [] }
        let attempts = Dictionary(grouping: attempts(at: task)) { $0.name.student }
        return Set(
            attempts.compactMap { student, attempts in
                attempts.max { $0.start < $1.start }.map {
                    Wording.latestItem(task, student, edition: $0.figures.edition ?? 0)
                }
            })
    }
}

extension Wording {
    package static func summary(
        _ task: TaskName, opened: Int, done: Int, givenBack: Int, average: String
    ) -> String {
        "\(task): opened by \(opened), done by \(done), given back to \(givenBack), \(average)"
    }

    package static func latestItem(
        _ task: TaskName, _ student: PersonName, edition: Int
    ) -> String {
        "\(task) of \(student): latest item \(edition)"
    }
}
