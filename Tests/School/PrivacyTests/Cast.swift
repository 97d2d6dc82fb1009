import PrivacyRules
import School

/// The people and things in every random school; what happens to them is random.
enum Cast {
    static let teachers: [PersonName] = ["T1", "T2", "T3"]
    /// `T3` teaches some classes and sits in others.
    static let students: [PersonName] = ["S1", "S2", "S3", "T3"]
    /// All of these, each once.
    static let learnersAndTeachers = teachers + students.filter { !teachers.contains($0) }
    /// Who may be erased: not teachers, since others need what they gave.
    static let erasable: PersonName = "S3"
    /// Those without access to progress, each with one role.
    static let others: [(name: PersonName, standing: Standing)] = [
        ("administrator", .administrator), ("site manager", .siteManager),
        ("people manager", .peopleManager), ("content manager", .contentManager),
        ("manager", .manager), ("staff", .staff),
    ]
    static let administrator: PersonName = "administrator"
    /// `C3` belongs to a term of its own, which may be closed.
    static let classes: [ClassName] = ["C1", "C2", "C3"]
    static let classesOfTerm: [ClassName] = ["C3"]
    /// Made by teachers, with the privilege that the school granted.
    static let madeClass: ClassName = "C2"

    static let apps = ["org.example.quizzler", "org.example.reader"]
    static let contexts: [Context] = World.allCases.flatMap { world in
        [
            Context(app: apps[0], world: world, path: []),
            Context(app: apps[0], world: world, path: ["unit"]),
            Context(app: apps[0], world: world, path: ["unit", "check"]),
            Context(app: apps[1], world: world, path: ["unit"]),
        ]
    }
    /// In whose name the tasks of the school's tool stand: `tool:` and its id, in the service.
    static let tool = "tool"
    /// The first edition that the tool reports, as a score. Marks have lower ones.
    static let firstScore = 50_000
    /// Nobody publishes them; apps save them for teachers.
    static let ownContexts = World.allCases.map {
        Context(app: apps[0], world: $0, path: ["own"])
    }
    /// Nobody publishes it, so nobody can assign it.
    static let unassignable = Context(app: apps[0], world: .production, path: ["nowhere"])
}
