import JSONBytes

/// A resource while the changes of a `PATCH` are made to it.
///
/// Consecutive changes that add values to one attribute, or remove them by name, are done together: a client that names
/// each member of a group in a change of its own costs no more than one that sends a list. What is left is limited, so
/// that changes times members stays a short time for those who wait on the same thread.
struct PatchWork {
    /// How often changes may go through the longest attribute without taking from the budget.
    static let mostPasses = 4

    private(set) var object: JSONObject
    private var pending: (target: Target, isRemoval: Bool, values: [JSONValue])?
    private let budget: PatchBudget
    private var comparisons = 0
    /// The values of the longest attribute that was changed.
    private var longest = 0
    /// What the budget has given.
    private var taken = 0

    /// - Parameter budget: for the comparisons that go beyond `mostPasses`.
    init(_ object: JSONObject, within budget: PatchBudget) {
        self.object = object
        self.budget = budget
    }

    /// Adds values to an attribute, or removes those of the same names, with the next changes that do the same.
    mutating func list(
        _ values: [JSONValue], of target: Target, isRemoval: Bool
    ) throws(Refusal) {
        // Without a second reference to the list, which would be copied for every change.
        let joins =
            pending.map {
                $0.isRemoval == isRemoval && $0.target.name.text == target.name.text
            } ?? false
        guard !joins else {
            pending?.values += values
            return
        }
        try finish()
        pending = (target, isRemoval, values)
    }

    /// The present value of an attribute, for a change that goes through it.
    mutating func value(of target: Target) throws(Refusal) -> JSONValue? {
        try finish()
        let present = object.value(of: target.name)
        try count(present?.array?.count ?? 0, times: target.filter?.comparisonCount ?? 1)
        return present
    }

    /// - Parameter value: what the attribute is to be; `nil` for nothing.
    mutating func set(_ value: JSONValue?, of target: Target) {
        object.set(value, at: target.name)
    }

    /// Removes an extension with all that is in it.
    mutating func remove(_ schema: Schema) throws(Refusal) {
        try finish()
        object[schema.id] = nil
    }

    /// Makes what is pending.
    mutating func finish() throws(Refusal) {
        guard let (target, isRemoval, values) = pending else { return }
        pending = nil
        let present = object.value(of: target.name)?.array ?? []
        try count(present.count, times: 1)
        let left =
            isRemoval
            ? Target.removing(values, from: present) : Target.adding(values, to: present)
        object.set(.array(left), at: target.name)
    }

    private mutating func count(_ values: Int, times: Int) throws(Refusal) {
        comparisons += values * times
        longest = max(longest, values)
        let more = comparisons - Self.mostPasses * longest - taken
        guard more > 0 else { return }
        guard budget.take(more) else {
            throw Refusal(
                413, nil,
                "Operations: these changes go through too many values. Send fewer at a time, and those that add, "
                    + "or remove, values of one attribute one after the other.")
        }
        taken += more
    }
}

extension Filter {
    /// How many comparisons it makes with one value.
    fileprivate var comparisonCount: Int {
        switch self {
        case .comparison, .present: 1
        case .all(let filters), .any(let filters): filters.reduce(0) { $0 + $1.comparisonCount }
        case .not(let filter), .values(_, let filter): filter.comparisonCount
        }
    }
}

extension JSONObject {
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
