import API
import Crypto
import JSONBytes
import Postgres
import Values

/// The items of one call, 1 to 1,000. Each is created, updated, left unchanged, or refused with a list of its
/// mistakes.
///
/// How a handler uses it (the smallest one is in `Locations+batch.swift`):
///
/// 1. `init` splits the body into items; `read` makes a value of each item that has the right shape, and refuses the
///    others; `refuseRepeated` refuses duplicates within the batch;
/// 2. inside one transaction, `BatchReferences` finds what the items refer to, and `refuse` rejects an item for any
///    other reason, always with a pointer below the item, such as `/name`;
/// 3. `write` sends the remaining items as one `jsonb` parameter to one statement, which returns a row of `position`,
///    `id` and `outcome` for each;
/// 4. `response` reports on each item in the order of the body.
///
/// With `?atomic=true`, the first `check` after a refusal throws the 422 that lists everything that is wrong, so that
/// nothing is written. `write` begins with a `check`; a handler that refuses items after writing calls it once more
/// at the end.
package struct Batch {
    /// An item with the right shape, as it was read.
    package struct Item<Value> {
        /// From 0, in the order of the body.
        package let position: Int
        package var value: Value

        package init(position: Int, value: Value) {
            self.position = position
            self.value = value
        }
    }

    /// The outcome of an item.
    package struct Result {
        package let outcome: Outcome
        package let id: UUID?
    }

    package enum Outcome: String {
        case created
        case updated
        case unchanged
    }

    /// The maximum number of items in a batch.
    package static let itemsMax = 1000
    /// How many mistakes are reported per item.
    private static let errorsOfItemMax = 20

    package let isAtomic: Bool
    private let shape: ObjectShape
    private let items: [JSONValue]
    package private(set) var results: [Result?]
    private var errors: [[Problem.Invalid]]

    /// Splits a body into items.
    ///
    /// - Parameter shape: the shape of an item.
    /// - Throws: 422 unless the body is `{"items": […]}` with 1 to 1,000 items.
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

    /// Reads the items that have the right shape. The others are refused, and so are those for which `read` throws a
    /// 422.
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

    /// Refuses items with the same key as an earlier item.
    ///
    /// - Parameter pointer: to the key, below the item.
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

    /// Refuses an item, which is then not written.
    ///
    /// - Parameter wrong: the mistakes, with pointers below the item.
    package mutating func refuse(_ position: Int, _ wrong: [Problem.Invalid]) {
        let capacity = Self.errorsOfItemMax - errors[position].count
        errors[position] += wrong.prefix(capacity).map {
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

    /// The items without a mistake so far.
    package func left<Value>(of items: [Item<Value>]) -> [Item<Value>] {
        items.filter { !isRefused($0.position) }
    }

    /// Records the outcome of an item; an outcome of created or updated is final.
    package mutating func note(_ position: Int, _ outcome: Outcome, id: UUID? = nil) {
        if let earlier = results[position], earlier.outcome != .unchanged { return }
        results[position] = Result(outcome: outcome, id: id ?? results[position]?.id)
    }

    /// Throws the same 422 as for a single body if the batch is atomic and something is wrong.
    package func check() throws {
        let wrong = errors.flatMap { $0 }
        guard !isAtomic || wrong.isEmpty else { throw Problem.invalid(wrong) }
    }

    /// Whether the item is still pending: neither refused nor written.
    private func isOpen(_ position: Int) -> Bool {
        !isRefused(position) && results[position] == nil
    }

    /// Writes the remaining items by a statement that returns `position`, `id` and `outcome` for each.
    ///
    /// An item without a row was being created by someone else at the same time. It is tried again, and found then.
    ///
    /// - Parameters:
    ///   - row: the columns of an item as an object; `position` is added, and `id` in case the item is new.
    ///   - refusals: the mistakes for values of `outcome` that are not in `Outcome`.
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

// MARK: Reporting

extension Batch {
    /// Reports on each item in the order of the body.
    package func response() throws -> Response {
        try check()
        var counts: [String: Int64] = [:]
        let outcomes = items.indices.map { position -> JSONValue in
            let word = isRefused(position) ? "problem" : results[position]?.outcome.rawValue ?? ""
            counts[word, default: 0] += 1
            return outcome(of: position, word)
        }
        let count = { (word: String) in JSONValue.number(JSONNumber(counts[word] ?? 0)) }
        return .json([
            "items": .array(outcomes), "created": count("created"), "updated": count("updated"),
            "unchanged": count("unchanged"), "problems": count("problem"),
        ])
    }

    private func outcome(of position: Int, _ word: String) -> JSONValue {
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
