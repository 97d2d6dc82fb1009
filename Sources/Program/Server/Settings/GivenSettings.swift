/// The settings as the environment and the command line have them, and the names of those that were asked for.
struct GivenSettings {
    let environment: [String: String]
    /// By lower-case name without prefix.
    let flags: [String: String]
    /// Without prefix.
    private(set) var names: Set<String> = []

    init(environment: [String: String], flags: [String: String]) {
        self.environment = environment
        self.flags = flags
    }

    /// A setting; an empty one counts as unset.
    mutating func text(_ name: String) -> String? {
        names.insert(name)
        let flag = flags[name.lowercased().replacing("_", with: "-")]
        let text = flag ?? environment["HOMEROOM_\(name)"]
        return text?.isEmpty == true ? nil : text
    }

    /// A setting that is read; throws `Settings.Unreadable` with what it should be.
    mutating func value<Value>(
        _ name: String, otherwise unset: String, _ expected: String, _ read: (String) -> Value?
    ) throws -> Value {
        guard let value = read(text(name) ?? unset) else {
            throw Settings.Unreadable(description: "HOMEROOM_\(name) should be \(expected)")
        }
        return value
    }

    /// The same for a setting without a default.
    mutating func value<Value>(
        _ name: String, _ expected: String, _ read: (String) -> Value?
    ) throws -> Value? {
        guard let text = text(name) else { return nil }
        return try value(name, otherwise: text, expected, read)
    }

    /// A setting that is `on` or `off`, and `off` when unset.
    mutating func isOn(_ name: String) throws -> Bool {
        try value(name, otherwise: "off", "on or off") { ["on": true, "off": false][$0] }
    }

    /// A whole number.
    mutating func number(
        _ name: String, otherwise unset: Int, _ range: ClosedRange<Int>
    ) throws -> Int {
        let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
        return try value(name, otherwise: "\(unset)", expected) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}
