import API
import Crypto
import HTTPServer
import JSONBytes
import Postgres
import Values

extension ResourceCalls {
    func batchEndpoint(
        _ summary: String, _ writers: [Standing], _ texts: ResourceTexts
    ) -> Endpoint {
        .batch(
            "\(resource.names.path)/batch", summary,
            description: texts.descriptions[.batch]
                ?? "Fields that an item leaves out go back to their defaults. Repeating a batch changes nothing.",
            for: writers, of: resource.itemShape, problems: texts.batch, handler: putAll)
    }

    /// Creates and replaces rows by their source ids.
    func putAll(_ request: Request, _ caller: Caller) async throws -> Response {
        let rules = resource.rules
        var sent = try await Batch(request, of: resource.itemShape)
        let items = try sent.read { body in
            let draft = try Draft<Entity>(
                body, id: .new(nil), present: nil, columns: resource.columns)
            try rules.validate(draft)
            return draft
        }
        sent.refuseRepeated(items) { $0[.sourceID] }
        return try await database.transaction(as: caller) { [sent] session in
            var batch = sent
            var items = items
            try await resolve(&items, &batch, session, caller)
            try await rules.batch.check(&items, &batch, session, caller)
            try await batch.write(
                items, in: session, row: { $0.value.row }, refusals: rules.batch.refusals(caller),
                by: {
                    rules.batch.put?($0, caller) ?? resource.putAll($0, of: caller.organizationID)
                })
            try await rules.batch.complete(items, &batch, session, caller)
            return try batch.response()
        }
    }

    /// Finds what the items refer to, with one statement per column.
    private func resolve(
        _ items: inout [Batch.Item<Draft<Entity>>], _ batch: inout Batch, _ session: Session,
        _ caller: Caller
    ) async throws {
        let wanted = items.indices.flatMap { index in
            items[index].value.unresolved.map { (index: index, reference: $0) }
        }
        let columns = Dictionary(grouping: wanted, by: \.reference.position)
            .sorted { $0.key < $1.key }.map(\.value)
        guard !columns.isEmpty else { return }
        let results = try await session.query(
            columns.map { column in
                .resolve(
                    column.map(\.reference.reference.id?.uuid),
                    column.map(\.reference.reference.source),
                    among: column[0].reference.table, of: caller.organizationID)
            })
        for (column, rows) in zip(columns, results) {
            for (wanted, row) in zip(column, rows) {
                if let id = try row.optionalUUID("id") {
                    items[wanted.index].value.resolve(wanted.reference.position, to: id)
                } else {
                    batch.refuse(
                        items[wanted.index].position,
                        Problem.unknownReference(wanted.reference.pointer).errors)
                }
            }
        }
    }
}

extension Draft {
    /// The row as an object with column names as keys.
    var row: JSONValue {
        let own = zip(columns, values).map { ($0.name.text, $1.json) }
        return .object(JSONObject(own + extras.map { ($0.name.text, $0.value.json) }))
    }
}

extension PostgresValue {
    /// The value in the JSON form that PostgreSQL reads.
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .text(text)
        case .uuid(let id): .text(id.description)
        case .date(let day): .text(day.description)
        case .timestamptz(let time): .text(time.description)
        case .int8(let number): .number(JSONNumber(number))
        case .bool(let flag): .bool(flag)
        case .jsonb(let bytes): (try? JSONValue(parsing: bytes)) ?? .null
        default: .null
        }
    }
}
