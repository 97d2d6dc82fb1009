/// Contexts that apps save in the name of people: private, and visible through a handout.
extension Oracle {
    /// One's own, and those that visible handouts assign.
    package func own(seenBy viewer: Viewer) -> Set<OwnContext> {
        let assigned = viewer == .exporter ? [] : tasks(seenBy: viewer).compactMap(\.own)
        let owned = today.own.keys.filter {
            switch viewer {
            case .teacher(let person, _), .student(let person, _): $0.owner == person
            case .exporter, .other: false
            }
        }
        return Set(owned).union(assigned.filter { today.own[$0] != nil })
    }

    /// The ones an app sees: those it saved for its person, and those that handouts give to the person as a student.
    package func own(
        seenByApp app: String, of person: PersonName, in world: World
    ) -> Set<String> {
        let given = tasks(seenBy: .student(person, world)).compactMap(\.own)
        let seen = today.own.filter { own, _ in
            own.context.app == app && own.context.world == world
                && (own.owner == person || given.contains(own))
        }
        return Set(seen.map { Wording.own($0.key.owner, edition: $0.value) })
    }

    /// The titles of the contexts that apps saved for a person.
    package func ownMarks(of person: PersonName) -> Set<Int> {
        Set(today.own.filter { $0.key.owner == person }.values)
    }

    /// Whose contexts a teacher may name in a task: their own, or one that a handout shows.
    package func owners(of context: Context, for teacher: PersonName) -> Set<PersonName> {
        Set(
            own(seenBy: .teacher(teacher, context.world)).filter { $0.context == context }
                .map(\.owner))
    }
}
