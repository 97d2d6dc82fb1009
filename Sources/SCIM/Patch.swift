import JSONBytes

/// What a resource is to be.
enum WantedResource: Sendable {
    /// As in a `PUT`, normalized.
    case whole(JSONObject)
    /// What it is now, changed.
    case patched(Patch)

    /// What it is to be, from what it is now; both normalized.
    func object(from present: JSONObject) throws(Refusal) -> JSONObject {
        switch self {
        case .whole(let object): object
        case .patched(let patch): try patch.applied(to: present)
        }
    }

    /// Whether it holds what the client did not send.
    var isResult: Bool {
        if case .patched = self { true } else { false }
    }
}

/// The changes of a `PATCH` (RFC 7644 section 3.5.2), also as Entra writes them.
struct Patch: Sendable {
    private enum Kind: String {
        case add, replace, remove
    }

    private struct Change {
        let kind: Kind
        let path: String?
        let value: JSONValue?
    }

    private let type: ResourceType
    private let changes: [JSONValue]

    init(_ body: JSONObject, of type: ResourceType) throws(Refusal) {
        guard let changes = body.member("operations")?.array, !changes.isEmpty else {
            throw .syntax("Operations: there should be a list of changes.")
        }
        self.type = type
        self.changes = changes
    }

    /// A resource, as `ResourceType.normalized` leaves it, after all changes.
    func applied(to object: JSONObject) throws(Refusal) -> JSONObject {
        var object = object
        for change in changes { try apply(try Self.read(change), to: &object) }
        return object
    }

    private static func read(_ change: JSONValue) throws(Refusal) -> Change {
        guard let object = change.object, let word = object.member("op")?.text,
            let kind = Kind(rawValue: word.lowercased())
        else { throw .syntax("op: should be add, replace or remove.") }
        let path = object.member("path")
        guard path == nil || path?.isNull == true || path?.text != nil else {
            throw Refusal(400, .invalidPath, "path: should be a text.")
        }
        return Change(kind: kind, path: path?.text, value: object.member("value"))
    }

    private func apply(_ change: Change, to object: inout JSONObject) throws(Refusal) {
        if let path = change.path, !path.isEmpty {
            return try apply(change.kind, path, change.value, to: &object)
        }
        guard change.kind != .remove else {
            throw Refusal(400, .noTarget, "path: say what is to be removed.")
        }
        guard let members = change.value?.object?.members else {
            throw .value("value", "should be an object where there is no path.")
        }
        for member in members {
            try apply(change.kind, member.key, member.value, to: &object)
        }
    }

    private func apply(
        _ kind: Kind, _ path: String, _ value: JSONValue?, to object: inout JSONObject
    ) throws(Refusal) {
        let target: Target
        switch try Target.find(path, in: type) {
        case .unknown: return
        case .schema(let schema):
            guard kind == .remove else {
                for member in value?.object?.members ?? [] {
                    try apply(kind, "\(schema.id):\(member.key)", member.value, to: &object)
                }
                return
            }
            object[schema.id] = nil
            return
        case .target(let found): target = found
        }
        if target.name.attribute.name == "id" {
            throw Refusal(400, .mutability, "id: cannot be changed.")
        }
        guard target.name.attribute.mutability != .readOnly,
            target.part?.mutability != .readOnly
        else { return }
        let present = object.value(of: target.name)
        let wanted =
            try kind == .remove
            ? target.removed(from: present, value)
            : target.set(in: present, to: value ?? .null, isReplacing: kind == .replace)
        object.set(wanted, at: target.name)
    }
}

extension JSONObject {
    /// A member whose name may be written in any case.
    func member(_ name: String) -> JSONValue? {
        let wanted = name.lowercased()
        return members.first { $0.key.lowercased() == wanted }?.value
    }

    /// Sets or removes an attribute, of the resource or of an extension.
    fileprivate mutating func set(_ value: JSONValue?, at name: AttributeName) {
        guard let schema = name.schema else {
            self[name.attribute.name] = value
            return
        }
        var members = self[schema.id]?.object ?? JSONObject()
        members[name.attribute.name] = value
        self[schema.id] = .object(members)
    }
}
