import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Synchronization

/// The fields of an answer that a client asked for with `fields`.
package struct Projection: Sendable {
    private let choice: JSONChoice

    /// `nil` if the request does not ask; 400 for names that the answer does not have.
    ///
    /// - Parameter records: the shapes of what `expand` adds, by their names in the API document.
    package init?(_ request: Request, records: [String: ObjectShape]) throws {
        let name = Operation.fieldsParameter.name
        guard request.operation.presents(name), let text = request.query(name),
            let shape = request.operation.answered
        else { return nil }
        let item = request.operation.item
        let known = Known(request.operation.expansions, records)
        var chosen = JSONChoice()
        for path in text.split(separator: ",", omittingEmptySubsequences: false) {
            let names = path.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            try known.check(names, in: item.map { Shape.object($0) } ?? shape)
            chosen.add(names[...])
        }
        guard item != nil else {
            choice = chosen
            return
        }
        var page = JSONChoice()
        for member in ["nextPageToken", Page.countMember] { page[member] = .whole }
        page["items"] = chosen
        choice = page
    }

    /// The answer without the other fields.
    package func applied(to response: Response) -> Response {
        var response = response
        switch response.body {
        case .none: break
        case .bytes(let bytes):
            var sieve = JSONSieve(choice)
            response.body = .bytes(sieve.take(bytes))
        case .stream(_, let producer):
            let choice = choice
            response.body = .stream(length: nil) { writer in
                let sieve = Mutex(JSONSieve(choice))
                let narrow = ResponseWriter(into: writer) { bytes in
                    sieve.withLock { $0.take(bytes) }
                }
                try await producer(narrow)
            }
        }
        return response.retagged
    }
}

/// The names that `fields` may have.
private struct Known {
    private let expansions: [Expansion]
    private let records: [String: ObjectShape]

    init(_ expansions: [Expansion], _ records: [String: ObjectShape]) {
        self.expansions = expansions
        self.records = records
    }

    func check(_ names: [String], in shape: Shape) throws {
        if names.first == Expansion.member, !expansions.isEmpty {
            try checkExpanded(Array(names.dropFirst()))
        } else {
            try check(names[...], in: shape)
        }
    }

    private func checkExpanded(_ names: [String]) throws {
        guard let name = names.first else { return }
        guard let expansion = expansions.first(where: { $0.name == name }) else {
            throw unknown(name, among: expansions.map(\.name))
        }
        guard let record = records[expansion.component] else { return }
        try check(names.dropFirst(), in: .object(record))
    }

    private func check(_ names: ArraySlice<String>, in shape: Shape) throws {
        guard let name = names.first else { return }
        // The names are data there.
        if shape.hasAnyFields { return }
        let fields = shape.fields
        // The variants of an object may have fields of one name.
        let below = fields.filter { $0.name == name }.map(\.shape)
        guard let first = below.first else { throw unknown(name, among: fields.map(\.name)) }
        try check(names.dropFirst(), in: below.dropFirst().reduce(first) { .either($0, $1) })
    }

    private func unknown(_ name: String, among names: [String]) -> Problem {
        var seen: Set<String> = []
        let known = names.filter { seen.insert($0).inserted }
        return .invalidParameter(
            Operation.fieldsParameter.name,
            known.isEmpty
                ? "“\(name)” is below a field that has no fields of its own."
                : "“\(name)” is not a field here. There are: \(known.joined(separator: ", ")).")
    }
}

extension Shape {
    /// The fields of the objects that a value of the shape contains at once, or in a list.
    fileprivate var fields: [Field] {
        switch self {
        case .object(let shape): shape.fields
        case .variant(_, _, let variants): variants.flatMap(\.shape.fields)
        case .array(let shape, _), .orNull(let shape): shape.fields
        case .either(let first, let second): first.fields + second.fields
        default: []
        }
    }

    /// Whether its objects have names that no declaration knows.
    fileprivate var hasAnyFields: Bool {
        switch self {
        case .map, .anything: true
        case .array(let shape, _), .orNull(let shape): shape.hasAnyFields
        case .either(let first, let second): first.hasAnyFields || second.hasAnyFields
        default: false
        }
    }
}

extension Response {
    /// The same answer with a tag of its own: a tag names one representation only (RFC 9110 section 8.8.3.3). It still
    /// begins with the version, so that `If-Match` takes it.
    package var retagged: Response {
        guard case .bytes(let bytes) = body,
            let index = headers.firstIndex(where: { $0.name == "ETag" })
        else { return self }
        let digest = Base64.encodeURL(Array(SHA256.digest(bytes).bytes.prefix(6)))
        var response = self
        response.headers[index] = ResponseField(
            "ETag", "\(headers[index].value.dropLast())-\(digest)\"")
        return response
    }
}
