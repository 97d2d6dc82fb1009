import API
import HTTPServer
import JSONBytes
import Postgres
import Values

/// A kind of record that other calls' answers refer to by id, and that `expand` can add to them.
package enum ExpandedRecord: String, Sendable, CaseIterable {
    case location = "Location"
    case person = "Person"
    case course = "Course"
    case `class` = "Class"
    case term = "Term"

    /// Who may read these records by their own calls. Policies decide which ones.
    package static let readers: [Standing] = Standing.directoryReaders + [.teacher]

    /// What a field refers to, by its name without `Id` or `Ids`.
    private static let fields: [String: ExpandedRecord] = [
        "location": .location, "course": .course, "class": .class, "term": .term,
        "person": .person, "student": .person, "teacher": .person, "author": .person,
        "reader": .person,
    ]

    /// What `expand` can add to an answer of these fields.
    static func expansions(of fields: [Field]) -> [Expansion] {
        fields.compactMap { field in
            switch field.shape {
            case .uuid, .orNull(.uuid): expansion(of: field.name, "Id", isList: false)
            case .array(.uuid, _): expansion(of: field.name, "Ids", isList: true)
            default: nil
            }
        }
    }

    private static func expansion(
        of field: String, _ ending: String, isList: Bool
    ) -> Expansion? {
        guard field.hasSuffix(ending) else { return nil }
        let name = String(field.dropLast(ending.count))
        guard let record = fields[name] else { return nil }
        return Expansion(
            name: isList ? name + "s" : name, field: field, isList: isList,
            component: record.rawValue)
    }
}

/// How records of a kind are read for `expand`: all at once, and as lists show them.
package struct Expandable: Sendable {
    package let shape: ObjectShape
    /// Each row has an `id`. Those that the caller may not read are left out.
    let read: @Sendable ([UUID], Caller) async throws -> Rows
}

extension Resource where Entity: Referable {
    /// The records that the caller may read, for other calls' `expand`.
    package func expandable(_ database: Database) -> Expandable {
        Expandable(shape: shape) { ids, caller in
            let statement = listed(ids, of: caller.organizationID)
            return ids.count > 100
                ? try await database.longQuery(statement, as: caller)
                : try await database.query(statement, as: caller)
        }
    }
}

extension Rows {
    /// The rows as JSON by their ids.
    fileprivate func records() throws -> [UUID: JSONValue] {
        var records: [UUID: JSONValue] = [:]
        for (index, row) in enumerated() {
            var writer = JSONWriter(reserving: 480)
            try writeJSON(row: index, into: &writer)
            records[try row.uuid("id")] = try JSONValue(parsing: writer.bytes)
        }
        return records
    }
}

extension Service {
    /// What one more kind of records costs of the caller's allowance.
    private static let expansionCost = 2
    /// What counting a list costs.
    private static let countCost = 5

    /// Answers a call, presented as the query says.
    func present(
        _ endpoint: Endpoint, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        guard request.choosesPresentation else { return try await act(endpoint, request, caller) }
        try request.checkPresentation()
        let projection = try Projection(request, records: expandables.mapValues(\.shape))
        let wanted = try request.expansions()
        let reader = wanted.isEmpty ? nil : try expandingReader(for: endpoint, caller)
        var request = request
        let counts = try request.needsCount()
        try request.pay((counts ? Self.countCost : 0) + wanted.count * Self.expansionCost)
        if counts {
            var counting = request
            counting.isCounting = true
            request.total = try await act(endpoint, counting, caller).counted
        }
        var response = try await act(endpoint, request, caller)
        guard response.status == 200 else { return response }
        if let reader {
            response = try await expand(response, by: wanted, request, as: reader)
        }
        return projection?.applied(to: response) ?? response
    }

    /// The caller in the standing in which it would read the records by their own calls.
    private func expandingReader(for endpoint: Endpoint, _ caller: Caller) throws -> Caller {
        guard var reader = caller.acting(asFirstOf: ExpandedRecord.readers) else {
            throw Problem.missingStanding(
                needed: ExpandedRecord.readers, held: caller.standings,
                because: "So expand adds nothing for you.")
        }
        guard reader.scopes == nil else {
            throw Problem.forbidden(
                "This token is limited to scopes, none of which covers what expand adds.")
        }
        reader.readsReplica = endpoint.place == .replica
        return reader
    }

    /// Adds the records: one statement for each kind.
    private func expand(
        _ response: Response, by wanted: [Expansion], _ request: Request, as reader: Caller
    ) async throws -> Response {
        guard case .bytes(let bytes) = response.body else { return response }
        let answer = try ExpandedAnswer(bytes, of: request.operation, wanted: wanted)
        var records: [String: [UUID: JSONValue]] = [:]
        for (kind, ids) in try answer.ids() where !ids.isEmpty {
            records[kind] = try await expandables[kind]?.read(Array(ids), reader).records()
        }
        var expanded = response
        expanded.body = .bytes(answer.bytes(adding: records))
        return expanded.retagged
    }
}
