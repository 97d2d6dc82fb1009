/// A version of the standard that is served.
enum Edition: String, CaseIterable, Sendable {
    case v1p1
    case v1p2

    /// Below which its rostering calls are.
    var path: String {
        switch self {
        case .v1p1: "/ims/oneroster/v1p1"
        case .v1p2: "/ims/oneroster/rostering/v1p2"
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

    /// A scope of the standard.
    func scope(_ name: String) -> String {
        "https://purl.imsglobal.org/spec/or/\(rawValue)/scope/\(name).readonly"
    }
}
