/// A version of the standard that is served.
enum Edition: String, CaseIterable, Sendable {
    case v1p1
    case v1p2

    /// Below which its rostering calls are.
    var path: String { path(of: .rostering) }

    /// Below which the calls of a part are. Version 1.1 has one path for all.
    func path(of part: Part) -> String {
        switch self {
        case .v1p1: "/ims/oneroster/v1p1"
        case .v1p2: "/ims/oneroster/\(part.rawValue)/v1p2"
        }
    }

    /// As people call it.
    var name: String {
        switch self {
        case .v1p1: "OneRoster 1.1"
        case .v1p2: "OneRoster 1.2"
        }
    }

    /// Before the names of its objects in the API document.
    var prefix: String {
        switch self {
        case .v1p1: "OneRoster11"
        case .v1p2: "OneRoster"
        }
    }

    /// A scope of the standard for reading.
    func scope(_ name: String) -> String { right("\(name).readonly") }

    /// A scope of the standard, such as `gradebook.delete`.
    func right(_ name: String) -> String {
        "https://purl.imsglobal.org/spec/or/\(rawValue)/scope/\(name)"
    }
}

/// A part of the standard with calls of its own.
enum Part: String, CaseIterable, Sendable {
    case rostering
    case gradebook
    case resources
}
