import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// One operation of a bulk request (RFC 7644 section 3.7).
private struct BulkOperation {
    let method: String
    let path: String
    let bulkID: String?
    let version: String?
    let data: JSONValue
    /// The bulk ids of the operations whose resources it names.
    let references: Set<String>

    init(_ value: JSONValue) throws(Refusal) {
        guard let object = value.object else { throw .syntax("Operations: each is an object.") }
        method = object.member("method")?.text?.uppercased() ?? ""
        path = object.member("path")?.text ?? ""
        bulkID = object.member("bulkId")?.text
        version = object.member("version")?.text
        data = object.member("data") ?? .null
        references = Self.references(in: data, and: path)
        guard ["POST", "PUT", "PATCH", "DELETE"].contains(method) else {
            throw .syntax("method: should be POST, PUT, PATCH or DELETE.")
        }
        guard method != "POST" || bulkID?.isEmpty == false else {
            throw .syntax("bulkId: POST needs one.")
        }
    }

    static let prefix = "bulkId:"

    private static func references(in data: JSONValue, and path: String) -> Set<String> {
        var found: Set<String> = []
        collect(data, into: &found)
        for segment in path.split(separator: "/") where segment.hasPrefix(prefix) {
            found.insert(String(segment.dropFirst(prefix.count)))
        }
        return found
    }

    private static func collect(_ value: JSONValue, into found: inout Set<String>) {
        switch value {
        case .text(let text) where text.hasPrefix(prefix):
            found.insert(String(text.dropFirst(prefix.count)))
        case .array(let values): for value in values { collect(value, into: &found) }
        case .object(let object):
            for member in object.members { collect(member.value, into: &found) }
        default: break
        }
    }

    /// The data with ids in place of bulk ids.
    func data(_ ids: [String: UUID]) -> JSONValue { Self.resolved(data, ids) }

    private static func resolved(_ value: JSONValue, _ ids: [String: UUID]) -> JSONValue {
        switch value {
        case .text(let text) where text.hasPrefix(prefix):
            return ids[String(text.dropFirst(prefix.count))].map { .text($0.description) } ?? value
        case .array(let values): return .array(values.map { resolved($0, ids) })
        case .object(let object):
            return .object(
                JSONObject(object.members.map { ($0.key, resolved($0.value, ids)) }))
        default: return value
        }
    }

    /// The type and, but for `POST`, the id that the path names.
    func target(_ ids: [String: UUID]) throws(Refusal) -> (type: ResourceType, id: UUID?) {
        let segments = path.split(separator: "/").map(String.init)
        guard let type = ResourceType.allCases.first(where: { $0.segment == segments.first }),
            segments.count == (method == "POST" ? 1 : 2)
        else { throw .syntax("path: should look like /Users, or /Users/ID.") }
        guard segments.count == 2 else { return (type, nil) }
        let name = segments[1]
        let id =
            name.hasPrefix(Self.prefix)
            ? ids[String(name.dropFirst(Self.prefix.count))] : UUID(name)
        guard let id else { throw .notFound }
        return (type, id)
    }
}

extension SCIM {
    static let mostOperations = 1000
    static let mostBulkBytes = 4 << 20
    private static let mostBulkSeconds = 300

    var bulkEndpoint: Endpoint {
        endpoint(
            .post, "Bulk", "Do up to 1,000 operations on users and groups",
            body: Self.document,
            answers: [
                .document(
                    "What became of each operation, in their order.", Self.mediaType,
                    .map(.anything))
            ] + Refusal.answers(),
            cost: 5
        ) { request, asking in
            let body = try await request.json(maximumBytes: Self.mostBulkBytes)
            guard let operations = body.object?.member("operations")?.array else {
                throw Refusal.syntax("Operations: there should be a list.")
            }
            guard operations.count <= Self.mostOperations else {
                throw Refusal(
                    413, nil, "Operations: \(Self.mostOperations) are the most in one request.")
            }
            // A thousand transactions take longer than other calls may.
            request.http.setDeadline(secondsFromNow: Self.mostBulkSeconds)
            let most = body.object?.member("failOnErrors")?.int64.map { max(1, Int($0)) }
            let results = try await run(operations, stoppingAfter: most, asking)
            return .scim([
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkResponse"],
                "Operations": .array(results),
            ])
        }
    }

    /// Does operations one after the other, each in a transaction of its own.
    ///
    /// - Parameter most: after how many errors the rest is left; `nil` for never.
    private func run(
        _ values: [JSONValue], stoppingAfter most: Int?, _ asking: Asking
    ) async throws -> [JSONValue] {
        let operations = values.map { value in
            Result { () throws(Refusal) in try BulkOperation(value) }
        }
        var results = [JSONValue?](repeating: nil, count: values.count)
        var ids: [String: UUID] = [:]
        var errors = 0
        for index in Self.order(of: operations) {
            if let most, errors >= most { break }
            let result = try await result(of: operations[index], &ids, asking)
            results[index] = result.json
            errors += result.isError ? 1 : 0
        }
        return results.compactMap(\.self)
    }

    /// The indices of operations, as they were sent, but each behind those that make what it names. Looks at each
    /// reference once; those that name each other in a circle come in any order, and fail.
    private static func order(of operations: [Result<BulkOperation, Refusal>]) -> [Int] {
        var makers: [String: Int] = [:]
        for index in operations.indices.reversed() {
            if let id = made(by: operations[index]) { makers[id] = index }
        }
        var order: [Int] = []
        var isPlaced = [Bool](repeating: false, count: operations.count)
        func place(_ index: Int) {
            guard !isPlaced[index] else { return }
            isPlaced[index] = true
            let references = (try? operations[index].get().references) ?? []
            for maker in references.compactMap({ makers[$0] }).sorted() { place(maker) }
            order.append(index)
        }
        for index in operations.indices { place(index) }
        return order
    }

    private static func made(by operation: Result<BulkOperation, Refusal>) -> String? {
        guard let operation = try? operation.get(), operation.method == "POST" else { return nil }
        return operation.bulkID
    }

    private func result(
        of operation: Result<BulkOperation, Refusal>, _ ids: inout [String: UUID],
        _ asking: Asking
    ) async throws -> (json: JSONValue, isError: Bool) {
        var object = JSONObject()
        do {
            let operation = try operation.get()
            object["method"] = .text(operation.method)
            object["bulkId"] = operation.bulkID.map(JSONValue.text)
            if let unknown = operation.references.first(where: { ids[$0] == nil }) {
                throw Refusal(
                    409, .invalidValue, "bulkId:\(unknown.prefix(100)) names nothing that was made."
                )
            }
            let resource = try await act(operation, ids, asking)
            if let resource {
                object["location"] = .text(resource.location)
                object["version"] = .text(resource.tag)
                if let bulkID = operation.bulkID { ids[bulkID] = resource.id }
            }
            let isNew = operation.method == "POST"
            object["status"] = .text(isNew ? "201" : resource == nil ? "204" : "200")
            return (.object(object), false)
        } catch {
            if error.isGivenUp { throw error }
            let refusal =
                error as? Refusal
                ?? Refusal(Problem(explaining: error, constraints: [:]))
            object["status"] = .text(String(refusal.status))
            object["response"] = refusal.document
            return (.object(object), true)
        }
    }

    /// - Returns: `nil` after a removal.
    private func act(
        _ operation: BulkOperation, _ ids: [String: UUID], _ asking: Asking
    ) async throws -> ScimResource? {
        let (type, id) = try operation.target(ids)
        let tags = operation.version.map { EntityTags.listed([$0]) }
        if operation.method == "DELETE", let id {
            try await remove(type, id, tags, asking)
            return nil
        }
        guard let data = operation.data(ids).object else {
            throw Refusal.syntax("data: should be an object.")
        }
        guard let id else { return try await create(type, data, asking) }
        guard operation.method == "PUT" else {
            return try await patch(type, id, data, tags, asking)
        }
        return try await replace(type, id, data, tags, asking)
    }
}
