/// A person who looks, in the world of the token they ask with.
package enum Viewer: Hashable, Sendable {
    case teacher(PersonName, World)
    case student(PersonName, World)
    /// Reads what the nightly export holds.
    case exporter
    /// Directory managers, apps, developers, and everyone in another organization.
    case other
}

extension Oracle {
    /// An attempt that counts for an assignment.
    package struct Count: Hashable, Sendable {
        package let activity: ActivityName
        package let task: TaskName
    }

    // MARK: Rules 3 and 4, handouts

    package func handouts(seenBy viewer: Viewer) -> Set<HandoutName> {
        Set(today.given.values.filter { sees(viewer, $0) }.map(\.handout.name))
    }

    /// A handout as it is now.
    package func handout(_ name: HandoutName) -> Handout? { today.given[name]?.handout }

    func sees(_ viewer: Viewer, _ given: SchoolState.Given) -> Bool {
        let handout = given.handout
        guard !given.isDeleted else { return false }
        switch viewer {
        case .teacher(let teacher, let world):
            // Co-teachers see published and scheduled handouts; a draft is its author's alone.
            return handout.world == world && teaches(teacher, handout.classroom)
                && (handout.publication != nil || handout.author == teacher)
        case .student(let student, let world):
            // Students see their own handouts, and nobody else's.
            return handout.world == world && isPublished(handout)
                && today.sits(student, in: handout.classroom, at: now)
                && handout.recipients.include(student)
        case .exporter: return handout.world == .production && isPublished(handout)
        case .other: return false
        }
    }

    /// Whether a person teaches a class, for the purposes of its reports.
    package func sees(_ viewer: Viewer, _ classroom: ClassName) -> Bool {
        if case .teacher(let teacher, _) = viewer { teaches(teacher, classroom) } else { false }
    }

    private func isPublished(_ handout: Handout) -> Bool {
        handout.publication.map { $0 <= now } ?? false
    }

    /// Who teaches a class now; for an archived class, who taught it when it was archived.
    private func teaches(_ teacher: PersonName, _ classroom: ClassName) -> Bool {
        let moment = today.archivedAt[classroom] ?? now
        return state(at: moment).teaches(teacher, classroom, at: moment)
    }

    // MARK: Rules 2, 4 and 5, what was done

    /// Which attempts count for which assignments, as far as a viewer sees it.
    package func counts(seenBy viewer: Viewer) -> Set<Count> {
        let visible = Set(tasks(seenBy: viewer).map(\.name))
        var counts: Set<Count> = []
        for (activity, attempt) in kept {
            switch viewer {
            case .student(let student, let world):
                guard activity.student == student, attempt.context.world == world else { continue }
                for task in attempt.tasks where figures(of: activity, at: task) != nil {
                    counts.insert(Count(activity: activity, task: task))
                }
            default:
                for task in attempt.tasks.intersection(visible)
                where figures(of: activity, at: task) != nil {
                    counts.insert(Count(activity: activity, task: task))
                }
            }
        }
        return counts
    }

    /// Attempts as a viewer sees them: a student's own, even if the task they counted for is gone, and others' only
    /// through an assignment.
    package func activities(seenBy viewer: Viewer) -> Set<ActivityName> {
        if case .student(let student, let world) = viewer {
            return Set(
                kept.filter { $0.key.student == student && $0.value.context.world == world }.keys)
        }
        return Set(counts(seenBy: viewer).map(\.activity))
    }

    /// Tasks that a viewer sees, inside handouts.
    package func tasks(seenBy viewer: Viewer) -> [Task] {
        today.given.values.filter { sees(viewer, $0) }.flatMap(\.handout.tasks)
    }

    /// Which notes (opened, done) a viewer sees. What students noted stays their own, even if the handout is out of
    /// sight by now.
    package func assignments(seenBy viewer: Viewer) -> Set<Assignment> {
        if case .student(let student, _) = viewer {
            return Set(notes.keys.filter { $0.student == student })
        }
        let visible = Set(tasks(seenBy: viewer).map(\.name))
        return Set(notes.keys.filter { visible.contains($0.task) })
    }

    /// The recipients of handouts for chosen students, as far as a viewer sees them.
    package func chosen(seenBy viewer: Viewer) -> Set<ChosenStudent> {
        var chosen: Set<ChosenStudent> = []
        for given in today.given.values where sees(viewer, given) {
            guard case .chosen(let students) = given.handout.recipients else { continue }
            for student in students {
                if case .student(let self_, _) = viewer, self_ != student { continue }
                chosen.insert(ChosenStudent(handout: given.handout.name, student: student))
            }
        }
        return chosen
    }

    package struct ChosenStudent: Hashable, Sendable {
        package let handout: HandoutName
        package let student: PersonName
    }

    // MARK: Who may change a handout

    /// Co-teachers edit published and scheduled handouts; a draft only its author.
    package func mayChange(_ name: HandoutName, _ teacher: PersonName, in world: World) -> Bool {
        today.given[name].map { sees(.teacher(teacher, world), $0) } ?? false
    }

    package func mayGive(to classroom: ClassName, _ teacher: PersonName) -> Bool {
        today.archivedAt[classroom] == nil && today.teaches(teacher, classroom, at: now)
    }

    /// With the privilege to make classes, teachers seat people in a class that teachers made, while they teach it.
    package func maySeat(
        in classroom: ClassName, _ teacher: PersonName, ifMadeByTeachers isMade: Bool
    ) -> Bool {
        isMade && mayGive(to: classroom, teacher)
    }

    /// Those who see a published handout may give work back to a student who has it.
    package func mayGiveBack(
        _ task: TaskName, _ student: PersonName, _ teacher: PersonName, in world: World
    ) -> Bool {
        today.given.values.contains { given in
            given.handout.tasks.contains { $0.name == task }
                && sees(.teacher(teacher, world), given)
                && sees(.student(student, world), given)
        }
    }
}
