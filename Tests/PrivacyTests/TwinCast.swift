/// Somebody whose app asks the same as the apps of all others, and is to get the same answers.
struct Twin: Sendable, Hashable {
    let name: String
    let role: String
    /// Whether he or she ever sat in the class.
    let sits: Bool
    /// Whether the handouts were given to him or her.
    let isChosen: Bool
    /// What the handouts assign is out of reach all the same.
    var hasLeft = false
    var isPaused = false

    /// Whether a handout shows what an app saved for the teacher: to its recipients, and to their apps. That is the one
    /// thing that an app may see because of an assignment, so that calls which can show it are compared only among
    /// those to whom it is shown, and only among the others.
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
        Twin(name: "somebody of the staff", role: "staff", sits: false, isChosen: false),
        Twin(name: "an administrator", role: "administrator", sits: false, isChosen: false),
    ]
}

/// What is in the app, and of that what is assigned.
enum TwinContexts {
    /// The catalog's.
    static let published: [[String]] = [[], ["unit"], ["unit", "check"]]
    /// What the app saved for the teacher.
    static let taught = ["taught"]
    /// What apps save for themselves, or ask for in vain.
    static let others: [[String]] = [
        ["own"], ["own", "leaf"], ["own", "leaf", "tip"], ["nowhere"],
    ]

    static var all: [[String]] { published + [taught] + others }
    static var assigned: [[String]] { published + [taught] }
}
