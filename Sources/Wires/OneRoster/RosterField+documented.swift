import API

extension RosterField {
    /// The field in the API document. None is always there: `fields` leaves out what it does not name.
    var documented: Field {
        let shape: Shape =
            switch value {
            case .text: .text(0...4000)
            case .word(_, let words): .word(words)
            case .texts: .array(.text(0...4000), count: 0...1000)
            case .timestamp: .timestamp
            case .day: .day
            case .number: .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
            case .document(_, let isList):
                isList ? .array(.map(.anything), count: 0...10_000) : .map(.anything)
            case .reference(_, let target): target.shape
            case .references(_, let target): .array(target.shape, count: 0...100_000)
            case .roles:
                .array(
                    .fields(
                        "OneRosterRole",
                        [
                            .required("roleType", .word(["primary", "secondary"])),
                            .required("role", .text(1...100)),
                            .required("org", ReferenceTarget.org.shape),
                        ]), count: 0...10_000)
            }
        return .optional(name, shape)
    }
}

extension ReferenceTarget {
    var shape: Shape {
        .fields(
            "OneRosterReference",
            [
                .required("href", .text(1...8000)), .required("sourcedId", .text(1...1000)),
                .required("type", .text(1...100), "The standard’s word for what it is."),
            ])
    }
}
