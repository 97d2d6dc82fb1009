import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Licences {
    /// Grants all or none: finds people and pools, locks the pools, counts their free seats and draws from them.
    ///
    /// No one else draws from a pool while it is locked, so the numbers in a refusal are correct. The database would
    /// refuse an excess even without them.
    func grant(_ request: Request, _ caller: Caller) async throws -> Response {
        let wanted = try NewLicences(try await request.body())
        let app = request.path("adamId")
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(.holdableApp(app, of: caller.organizationID))
            guard let row = found.first else { throw Problem.notFound }
            if case .devices = wanted.holders, try !row.bool("is_device_assignable") {
                throw Problem.notForDevices
            }
            let holders = try await holders(wanted, app, session, caller)
            let missing = try await missing(holders, wanted, app, session, caller)
            let made = try await session.query(
                .grant(missing, of: app, in: caller.organizationID))
            if made.count > 0 { try await auditGrant(made, of: app, session) }
            let rows = try await session.query(
                .licences(of: app, heldBy: holders, in: caller.organizationID))
            return try Self.granted(rows, made)
        }
    }

    /// The holders without a licence; throws if the pools have fewer free seats than they need.
    private func missing(
        _ holders: [Holder], _ wanted: NewLicences, _ app: String, _ session: Session,
        _ caller: Caller
    ) async throws -> [Holder] {
        let locations = Set(holders.map(\.location)).sorted { $0.uuid < $1.uuid }
        let pools = try await lockPools(locations, app, session, caller)
        // Read under the lock, to include licences that were granted in the meantime.
        let held = try await session.query(
            .licences(of: app, heldBy: holders, in: caller.organizationID))
        let people = try Set(held.compactMap { try $0.optionalUUID("person_id") })
        let devices = try Set(held.compactMap { try $0.optionalText("serial_number") })
        let missing = holders.filter { holder in
            !(holder.person.map { people.contains($0.uuid) } ?? false)
                && !(holder.serialNumber.map(devices.contains) ?? false)
        }
        let shortages = locations.compactMap { location in
            let needed = missing.count { $0.location == location }
            let left = pools[location]?.available ?? 0
            return needed > left ? (location.uuid.description, left, needed) : nil
        }
        guard shortages.isEmpty else { throw Problem.tooFewLicences(shortages, at: wanted.pointer) }
        return missing
    }

    private func auditGrant(
        _ made: Rows, of app: String, _ session: Session
    ) async throws {
        let people = try made.compactMap { try $0.optionalUUID("person_id") }
        let devices = try made.compactMap { try $0.optionalText("serial_number") }
        try await session.query(
            .audit(
                "licenceChange", subjectKind: people.count == 1 ? "person" : nil,
                subject: people.count == 1 ? people[0] : nil,
                details: [
                    "adamId": .text(app), "granted": .count(made.count),
                    "personIds": .array(people.map { .text($0.description) }),
                    "serialNumbers": .array(devices.map(JSONValue.text)),
                ]))
    }

    /// 201 if at least one licence was granted, 200 if every holder had one.
    private static func granted(_ rows: Rows, _ made: Rows) throws -> Response {
        let created = try Set(made.map { try $0.uuid("licence_id") })
        var writer = JSONWriter(reserving: 100 + rows.count * 300)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for (index, row) in rows.enumerated() {
            writer.beginObject()
            try rows.writeMembers(row: index, columns: rows.shownColumns, into: &writer)
            writer.key("outcome")
            writer.text(created.contains(try row.uuid("id")) ? "created" : "unchanged")
            writer.endObject()
        }
        writer.endArray()
        writer.key("createdCount")
        writer.int(created.count)
        writer.key("unchangedCount")
        writer.int(rows.count - created.count)
        writer.endObject()
        return .json(writer.bytes, status: created.isEmpty ? 200 : 201)
    }
}

extension Problem {
    static let notForDevices = Problem.invalid(
        "/serialNumbers", "not_device_assignable", "Devices cannot hold licences of this app.")
}
