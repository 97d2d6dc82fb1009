/// Contexts that apps save in the name of people: private, and visible through a handout.
extension Oracle {
    /// Own ones, and what visible handouts assign.
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

    /// What the contexts are called that apps saved for somebody.
    package func ownMarks(of person: PersonName) -> Set<Int> {
        Set(today.own.filter { $0.key.owner == person }.values)
    }

    /// Whose contexts a teacher may name in a task: the own one, or one that a handout shows.
    package func owners(of context: Context, for teacher: PersonName) -> Set<PersonName> {
        Set(
            own(seenBy: .teacher(teacher, context.world)).filter { $0.context == context }
                .map(\.owner))
    }
}
