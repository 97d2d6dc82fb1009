/// The members of a JSON document that a reader wants, as a tree of their names.
package struct JSONChoice: Sendable, Equatable {
    /// What is wanted below each name. Ignored once everything is wanted.
    package private(set) var members: [String: JSONChoice] = [:]
    /// Whether everything is wanted from here down.
    package private(set) var isWhole = false

    package init() {}

    /// Everything from here down.
    package static var whole: JSONChoice {
        var choice = JSONChoice()
        choice.isWhole = true
        return choice
    }

    /// Adds the member at the end of a path; a path that is contained in another one changes nothing.
    package mutating func add(_ path: ArraySlice<String>) {
        guard !isWhole else { return }
        guard let name = path.first else {
            self = .whole
            return
        }
        members[name, default: JSONChoice()].add(path.dropFirst())
    }

    /// Replaces what is wanted below a name.
    package subscript(name: String) -> JSONChoice? {
        get { members[name] }
        set { members[name] = newValue }
    }
}
