/// How far the students of handouts are, as lists of handouts tell.
extension Oracle {
    /// Of each handout that somebody sees: how many students have it now, and how many did all of it.
    package func counts(seenBy viewer: Viewer) -> Set<String> {
        Set(today.given.values.filter { sees(viewer, $0) }.map(counted))
    }

    /// The same of published handouts that are not over.
    package func openCounts(seenBy viewer: Viewer) -> Set<String> {
        let published = Set(published(seenBy: viewer))
        return Set(
            today.given.values.filter {
                published.contains($0.handout.name) && !$0.isCompleted
                    && today.archivedAt[$0.handout.classroom] == nil
            }.map(counted))
    }

    private func counted(_ given: SchoolState.Given) -> String {
        let handout = given.handout
        let moment = today.archivedAt[handout.classroom] ?? now
        let students = today.students(in: handout.classroom, at: moment)
            .filter { handout.recipients.include($0) }
        let done = students.filter { student in
            !handout.tasks.isEmpty
                && handout.tasks.allSatisfy {
                    notes[Assignment(task: $0.name, student: student)]?.isDone ?? false
                }
        }
        return Wording.counted(handout.name, assigned: students.count, done: done.count)
    }
}

extension Wording {
    package static func counted(_ handout: HandoutName, assigned: Int, done: Int) -> String {
        "\(handout): \(done) of \(assigned) students are done"
    }
}
