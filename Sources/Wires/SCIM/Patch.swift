import JSONBytes
import Values

/// What a resource is to be.
enum WantedResource: Sendable {
    /// As in a `PUT`, normalized.
    case whole(JSONObject)
    /// What it is now, changed.
    case patched(Patch)

    /// What the resource of an id is to be, from what it is now; both normalized.
    func object(of id: UUID, from present: JSONObject) throws(Refusal) -> JSONObject {
        switch self {
        case .whole(let object): object
        case .patched(let patch): try patch.applied(to: present, of: id)
        }
    }

    /// Whether it also holds fields that the client did not send.
    var includesUnsentFields: Bool {
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
    private let budget: PatchBudget

    /// - Parameter budget: that of the request, which may have more patches.
    init(
        _ body: JSONObject, of type: ResourceType, within budget: PatchBudget
    ) throws(Refusal) {
        guard let changes = body.member("operations")?.array, !changes.isEmpty else {
            throw .syntax("Operations: there should be a list of changes.")
        }
        self.type = type
        self.changes = changes
        self.budget = budget
    }

    /// The resource of an id, as `ResourceType.normalized` leaves it, after all changes.
    func applied(to object: JSONObject, of id: UUID) throws(Refusal) -> JSONObject {
        var work = PatchWork(object, within: budget)
        for change in changes { try apply(try Self.read(change), of: id, to: &work) }
        try work.finish()
        return work.object
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

    private func apply(
        _ change: Change, of id: UUID, to work: inout PatchWork
    ) throws(Refusal) {
        if let path = change.path, !path.isEmpty {
            return try apply(change.kind, path, change.value, to: &work)
        }
        guard change.kind != .remove else {
            throw Refusal(400, .noTarget, "path: say what is to be removed.")
        }
        guard let members = change.value?.object?.members else {
            throw .value("value", "should be an object if the change has no path.")
        }
        for member in members {
            // Okta repeats the id of a group in every change of it.
            guard member.key.lowercased() != "id" || member.value.text.flatMap(UUID.init) != id
            else { continue }
            try apply(change.kind, member.key, member.value, to: &work)
        }
    }

    private func apply(
        _ kind: Kind, _ path: String, _ value: JSONValue?, to work: inout PatchWork
    ) throws(Refusal) {
        let target: Target
        switch try Target.find(path, in: type) {
        case .unknown: return
        case .schema(let schema):
            guard kind == .remove else {
                for member in value?.object?.members ?? [] {
                    try apply(kind, "\(schema.id):\(member.key)", member.value, to: &work)
                }
                return
            }
            return try work.remove(schema)
        case .target(let found): target = found
        }
        if target.name.attribute.name == "id" {
            throw Refusal(400, .mutability, "id: cannot be changed.")
        }
        guard target.name.attribute.mutability != .readOnly,
            target.part?.mutability != .readOnly
        else { return }
        let isRemoval = kind == .remove
        if kind != .replace,
            let values = try isRemoval ? target.removedByName(value) : target.added(value)
        {
            return try work.list(values, of: target, isRemoval: isRemoval)
        }
        let present = try work.value(of: target)
        let wanted =
            try isRemoval
            ? target.removed(from: present)
            : target.set(in: present, to: value ?? .null, isReplacing: kind == .replace)
        work.set(wanted, of: target)
    }
}

extension JSONObject {
    /// A member whose name may be written in any case.
    func member(_ name: String) -> JSONValue? {
        let wanted = name.lowercased()
        return members.first { $0.key.lowercased() == wanted }?.value
    }
}
