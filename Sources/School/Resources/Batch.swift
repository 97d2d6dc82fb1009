import Crypto
import JSONBytes
import Postgres
import Values

/// The items of one call, 1 to 1,000, each of which is created, updated, left unchanged, or refused with what
/// is wrong with it.
///
/// How a handler uses it (the smallest one is in `Locations+batch.swift`):
///
/// 1. `init` takes the body apart; `read` makes a value of each item that has its shape, and refuses the
///    others; `refuseRepeated` refuses whatever stands in the batch for the second time;
/// 2. inside one transaction, `BatchReferences` finds what the items refer to, `refuse` says no to an item
///    for any other reason, always with a pointer below the item, such as `/name`;
/// 3. `write` sends what is left as one `jsonb` parameter to one statement, which answers a row of `position`,
///    `id` and `outcome` for each;
/// 4. `response` tells of each item in the order of the body.
///
/// With `?atomic=true` the first `check` (`write` begins with one) after something was refused throws the 422
/// that holds everything that is wrong, so that nothing is written; a handler that refuses items after writing
/// calls `check` once more at the end.
package struct Batch {
    /// An item that has its shape, as it was read.
    package struct Item<Value> {
        /// From 0, in the order of the body.
        package let position: Int
        package var value: Value

        package init(position: Int, value: Value) {
            self.position = position
            self.value = value
        }
    }

    /// What became of an item.
    package struct Result {
        package let outcome: Outcome
        package let id: UUID?
    }

    package enum Outcome: String {
        case created
        case updated
        case unchanged
    }

    /// How many items a batch has at most.
    package static let itemsMax = 1000
    /// How many mistakes of one item are told.
    private static let errorsOfItemMax = 20

    package let isAtomic: Bool
    private let shape: ObjectShape
    private let items: [JSONValue]
    package private(set) var results: [Result?]
    private var errors: [[Problem.Invalid]]

    /// Takes a body apart.
    ///
    /// - Parameter shape: of an item.
    /// - Throws: 422 where it is not `{"items": […]}` with 1 to 1,000 of them.
    package init(_ request: Request, of shape: ObjectShape) async throws {
        let body = try await request.json(maximumBytes: 1 << 20)
        let wrong = Self.bodyShape(.anything).check(body)
        guard wrong.isEmpty else { throw Problem.invalid(wrong) }
        items = body["items"]?.array ?? []
        isAtomic = request.queryBoolean("atomic") ?? false
        self.shape = shape
        results = Array(repeating: nil, count: items.count)
        errors = Array(repeating: [], count: items.count)
    }

    static func bodyShape(_ item: Shape, _ name: String = "Batch") -> Shape {
        .fields(name, [.required("items", .array(item, count: 1...itemsMax))])
    }

    /// Reads the items that have the shape; the others, and those that `read` throws a 422 for, are refused.
    package mutating func read<Value>(_ read: (Fields) throws -> Value) throws -> [Item<Value>] {
        var taken: [Item<Value>] = []
        for (position, item) in items.enumerated() {
            let wrong = Shape.object(shape).check(item)
            guard wrong.isEmpty, let object = item.object else {
                refuse(position, wrong)
                continue
            }
            do {
                taken.append(Item(position: position, value: try read(Fields(object))))
            } catch let problem as Problem where !problem.errors.isEmpty {
                refuse(position, problem.errors)
            }
        }
        return taken
    }

    /// Refuses items with a key that an earlier item has.
    ///
    /// - Parameter pointer: below the item, to what makes the key.
    package mutating func refuseRepeated<Value, Key: Hashable>(
        _ items: [Item<Value>], at pointer: String = "/sourceId", by key: (Value) -> Key
    ) {
        var seen: [Key: Int] = [:]
        for item in items {
            if let first = seen[key(item.value)] {
                refuse(
                    item.position, pointer, "duplicate",
                    "Item \(first) of this batch is about the same.")
            } else {
                seen[key(item.value)] = item.position
            }
        }
    }

    /// Refuses an item; it is not written any more.
    ///
    /// - Parameter wrong: with pointers below the item.
    package mutating func refuse(_ position: Int, _ wrong: [Problem.Invalid]) {
        let room = Self.errorsOfItemMax - errors[position].count
        errors[position] += wrong.prefix(room).map {
            Problem.Invalid(
                pointer: "/items/\(position)\($0.pointer)", code: $0.code, detail: $0.detail)
        }
    }

    package mutating func refuse(
        _ position: Int, _ pointer: String, _ code: String, _ detail: String
    ) {
        refuse(position, [Problem.Invalid(pointer: pointer, code: code, detail: detail)])
    }

    package func isRefused(_ position: Int) -> Bool { !errors[position].isEmpty }

    /// The items that nothing is wrong with so far.
    package func left<Value>(of items: [Item<Value>]) -> [Item<Value>] {
        items.filter { !isRefused($0.position) }
    }

    /// Notes what became of an item; what was created or updated stays so.
    package mutating func note(_ position: Int, _ outcome: Outcome, id: UUID? = nil) {
        if let earlier = results[position], earlier.outcome != .unchanged { return }
        results[position] = Result(outcome: outcome, id: id ?? results[position]?.id)
    }

    /// The same 422 as a single body, where all or nothing is wanted and something is wrong.
    package func check() throws {
        let wrong = errors.flatMap { $0 }
        guard !isAtomic || wrong.isEmpty else { throw Problem.invalid(wrong) }
    }

    /// Whether the item is not done with: neither refused nor written.
    private func isOpen(_ position: Int) -> Bool {
        !isRefused(position) && results[position] == nil
    }

    /// Writes what is left of the items by a statement that answers `position`, `id` and `outcome` for each.
    ///
    /// An item without an answer was being created by somebody else at the same time; it is tried again, and
    /// is found then.
    ///
    /// - Parameters:
    ///   - row: the columns of an item as an object; `position`, and `id` for the case that it is new, are added.
    ///   - refusals: what is wrong where `outcome` is another word than those of `Outcome`.
    package mutating func write<Value>(
        _ items: [Item<Value>], in session: Session, row: (Item<Value>) -> JSONValue,
        refusals: [String: Problem.Invalid] = [:], by statement: (JSONDocument) -> Statement
    ) async throws {
        try check()
        for _ in 1...4 {
            let open = items.filter { isOpen($0.position) }
            guard !open.isEmpty else { return }
            let rows = JSONValue.array(
                open.map { item in
                    var columns = row(item).object ?? JSONObject()
                    columns["position"] = JSONValue.number(JSONNumber(Int64(item.position)))
                    columns["id"] = .text(UUID.v7().description)
                    return .object(columns)
                })
            let answer = try await session.query(statement(JSONDocument(rows.bytes)))
            for row in answer { try note(row, refusals) }
        }
        guard !items.contains(where: { isOpen($0.position) }) else { throw Problem.contended }
    }

    private mutating func note(_ row: Row, _ refusals: [String: Problem.Invalid]) throws {
        let position = try row.int("position")
        let word = try row.text("outcome")
        if let outcome = Outcome(rawValue: word) {
            note(position, outcome, id: try row.optionalUUID("id"))
        } else if let refusal = refusals[word] {
            refuse(position, [refusal])
        } else {
            throw Problem.internalError
        }
    }
}

// MARK: Telling

extension Batch {
    /// Tells of each item in the order of the body.
    package func response() throws -> Response {
        try check()
        var counts: [String: Int64] = [:]
        let told = items.indices.map { position -> JSONValue in
            let word = isRefused(position) ? "problem" : results[position]?.outcome.rawValue ?? ""
            counts[word, default: 0] += 1
            return tell(position, word)
        }
        let count = { (word: String) in JSONValue.number(JSONNumber(counts[word] ?? 0)) }
        return .json([
            "items": .array(told), "created": count("created"), "updated": count("updated"),
            "unchanged": count("unchanged"), "problems": count("problem"),
        ])
    }

    private func tell(_ position: Int, _ word: String) -> JSONValue {
        var members: [(String, JSONValue)] = [("outcome", .text(word))]
        if !isRefused(position), let id = results[position]?.id {
            members.append(("id", .text(id.description)))
        }
        if let source = items[position]["sourceId"]?.text, SourceID.isValid(source) {
            members.append(("sourceId", .text(source)))
        }
        if isRefused(position) {
            let wrong = errors[position].map { error -> JSONValue in
                [
                    "pointer": .text(error.pointer), "code": .text(error.code),
                    "detail": .text(error.detail),
                ]
            }
            members.append(("errors", .array(wrong)))
        }
        return .object(JSONObject(members))
    }
}
