/// A person whose app makes the same calls as the apps of all others, and should get the same answers.
struct Twin: Sendable, Hashable {
    let name: String
    let role: String
    /// Whether the person ever sat in the class.
    let sits: Bool
    /// Whether the handouts were given to the person.
    let isChosen: Bool
    /// What the handouts assign is out of reach nevertheless.
    var hasLeft = false
    var isPaused = false

    /// Whether a handout shows what an app saved for the teacher: to its recipients, and to their apps. That is the one
    /// thing that an app may see because of an assignment. Calls that can show it are therefore compared only among
    /// those to whom it is shown, and among the others.
    var seesWhatIsTaught: Bool { sits && isChosen && !hasLeft }

    static let all = [
        Twin(name: "a student with the assignment", role: "student", sits: true, isChosen: true),
        Twin(
            name: "a student whose progress is paused", role: "student", sits: true,
            isChosen: true, isPaused: true),
        Twin(name: "a student of the class", role: "student", sits: true, isChosen: false),
        Twin(
            name: "a student who left", role: "student", sits: true, isChosen: true, hasLeft: true),
        Twin(name: "a student of no class", role: "student", sits: false, isChosen: false),
        Twin(name: "a teacher", role: "teacher", sits: false, isChosen: false),
        Twin(name: "a member of staff", role: "staff", sits: false, isChosen: false),
        Twin(name: "an administrator", role: "administrator", sits: false, isChosen: false),
    ]
}

/// What the app contains, and which of it is assigned.
enum TwinContexts {
    /// The catalog's.
    static let published: [[String]] = [[], ["unit"], ["unit", "check"]]
    /// What the app saved for the teacher.
    static let taught = ["taught"]
    /// What apps save for themselves, or request in vain.
    static let others: [[String]] = [
        ["own"], ["own", "leaf"], ["own", "leaf", "tip"], ["nowhere"],
    ]

    static var all: [[String]] { published + [taught] + others }
    static var assigned: [[String]] { published + [taught] }
}
