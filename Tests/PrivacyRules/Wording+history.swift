/// What was done, in words, for readers of the history behind a finding.
extension Event: CustomStringConvertible {
    package var description: String {
        "day \(at / 1440), \(Self.padded(at / 60 % 24)):\(Self.padded(at % 60)): \(deed)"
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension Deed: CustomStringConvertible {
    package var description: String {
        switch self {
        case .joins(let person, let role, let classroom): "\(person) joins \(classroom) as \(role)"
        case .leaves(let person, let role, let classroom):
            "\(person) leaves \(classroom) as \(role)"
        case .willJoin(let person, let role, let classroom, let moment):
            "\(person) is to join \(classroom) as \(role) at \(moment / 60) h"
        case .willLeave(let person, let role, let classroom, let moment):
            "\(person) is to leave \(classroom) as \(role) at \(moment / 60) h"
        case .archives(let classes): "\(classes.map(\.text)) are archived"
        case .revives(let classes): "\(classes.map(\.text)) are opened again"
        case .gives(let handout): "\(handout)"
        case .copies(let name, let copy, let classroom, let author):
            "\(author) copies \(name) as \(copy) for \(classroom)"
        case .publishes(let name, let moment): "\(name) is to be published at \(moment / 60) h"
        case .chooses(let name, let recipients): "\(name) is given to \(recipients) from now on"
        case .locks(let name): "\(name) is locked"
        case .unlocks(let name): "\(name) is unlocked"
        case .completes(let name): "\(name) is completed"
        case .edits(let name, let removed, let added, let discards):
            "\(name) is edited without \(removed.map(\.text))\(discards ? " and what was recorded" : "")"
                + ", with \(added.map { "\($0.name) \($0.context)" })"
        case .givesBack(let task, let student, let given):
            "\(task) of \(student) is\(Noted(givenBack: given))"
        case .takesBack(let task, let student): "\(task) of \(student) is not given back any more"
        case .deletes(let name): "\(name) is deleted"
        case .switchesSchool(let isOn, let deletes):
            "student progress is \(isOn ? "on" : deletes ? "off and deleted" : "off") for the school"
        case .switchesStudent(let student, let isOn):
            "student progress is \(isOn ? "on" : "off") for \(student)"
        case .erases(let person): "\(person) is erased"
        case .saves(let own, let edition):
            "an app saves \(own.context) for \(own.owner), item \(edition)"
        case .removes(let own): "an app removes \(own.context) of \(own.owner)"
        case .withdraws(let context): "\(context) is withdrawn"
        case .opens(let task, let student, let isOpened):
            "\(student) \(isOpened ? "opens" : "has not opened") \(task)"
        case .marksDone(let task, let student, let isDone):
            "\(student) marks \(task) \(isDone ? "done" : "not done")"
        case .reportsCompletion(let student, let context): "\(student) completes \(context)"
        case .launches(let task, let person): "\(person) opens the tool of \(task)"
        case .uploads(let parts): "upload: " + parts.map(\.description).joined(separator: "; ")
        }
    }
}

extension Recipients: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wholeClass: "the class"
        case .chosen(let students): students.sorted().map(\.text).joined(separator: " and ")
        }
    }
}

extension Handout: CustomStringConvertible {
    package var description: String {
        let tasks = tasks.map { "\($0.name) \($0.context)" }.joined(separator: ", ")
        let moment = publication.map { "from \($0 / 60) h on" } ?? "as a draft"
        return "\(author) gives \(name) in \(classroom) to \(recipients) \(moment): \(tasks)"
    }
}

extension Part: CustomStringConvertible {
    package var description: String {
        let end = stop.map { "\($0)" } ?? "on"
        return "\(activity) at \(context) from \(start) to \(end) min, "
            + "changed at \(changed / 60) min, \(progress) %, "
            + "\(seconds) s, item \(edition)"
    }
}
