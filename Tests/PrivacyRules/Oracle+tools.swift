/// What a tool sees: of classes in which a published handout has one of its tasks, and there who has one (rule 5).
extension Oracle {
    /// The tool's tasks in a class that is not over.
    ///
    /// - Parameter tool: the app in whose name its tasks stand.
    package func tasks(of tool: String, in classroom: ClassName) -> Set<String> {
        Set(tasks(of: tool, given: classroom).map { $0.task.name.text })
    }

    /// The teachers of the class, and the students who have one of the tasks now.
    package func members(of tool: String, in classroom: ClassName) -> Set<String> {
        let tasks = tasks(of: tool, given: classroom)
        guard !tasks.isEmpty else { return [] }
        return Set(
            today.seated.filter { today.teaches($0, classroom, at: now) }.map {
                Wording.member($0, .teacher)
            } + tasks.flatMap { students(of: $0.given) }.map { Wording.member($0, .student) })
    }

    /// The scores of the latest attempts of the students who have the task now.
    package func results(of tool: String, in classroom: ClassName) -> Set<String> {
        Set(
            tasks(of: tool, given: classroom).flatMap { task, given in
                let students = students(of: given)
                let attempts = Dictionary(grouping: attempts(at: task.name)) { $0.name.student }
                return attempts.filter { students.contains($0.key) }.compactMap { student, all in
                    all.max { $0.start < $1.start }?.figures.edition.map {
                        Wording.result(task.name, student, edition: $0)
                    }
                }
            })
    }

    private func tasks(
        of tool: String, given classroom: ClassName
    ) -> [(task: Task, given: SchoolState.Given)] {
        guard today.archivedAt[classroom] == nil else { return [] }
        return today.given.values.filter { given in
            given.handout.classroom == classroom && !given.isDeleted
                && given.handout.publication.map { $0 <= now } ?? false
        }.flatMap { given in
            given.handout.tasks.filter { $0.context.app == tool }.map { (task: $0, given: given) }
        }
    }

    private func students(of given: SchoolState.Given) -> Set<PersonName> {
        today.students(in: given.handout.classroom, at: now)
            .filter { given.handout.recipients.include($0) }
    }
}

extension Wording {
    package static func member(_ person: PersonName, _ role: Role) -> String {
        "\(person) as \(role)"
    }

    package static func result(
        _ task: TaskName, _ student: PersonName, edition: Int
    ) -> String {
        "\(task) of \(student): \(edition) points"
    }
}
