import JSONBytes
import Postgres
import School

extension Directory {
    var locationBatch: Endpoint {
        .batch(
            "/v1/locations/batch", "Create or replace up to 1,000 locations by sourceId",
            for: Self.writers, of: DirectoryShapes.newLocation.item("LocationItem"),
            handler: putLocations)
    }

    func putLocations(_ request: Request, _ caller: Caller) async throws -> Response {
        var sent = try await Batch(
            request, of: DirectoryShapes.newLocation.item("LocationItem"))
        let items = try sent.read { try NewLocation(Sent(body: $0, path: nil)) }
        sent.refuseRepeated(items, by: \.sourceID)
        return try await database.transaction(as: caller) { [sent] session in
            var batch = sent
            try await checkTimeZones(of: items, &batch, session)
            try await batch.write(
                items, in: session,
                row: { item in
                    [
                        "source_id": .text(orNull: item.value.sourceID),
                        "name": .text(item.value.name),
                        "time_zone": .text(orNull: item.value.timeZone),
                        "password_policy": .text(orNull: item.value.passwordPolicy),
                    ]
                },
                by: { .putLocations($0, of: caller.organizationID) })
            return try batch.response()
        }
    }

    private func checkTimeZones(
        of items: [Batch.Item<NewLocation>], _ batch: inout Batch, _ session: Session
    ) async throws {
        let names = Array(Set(items.compactMap(\.value.timeZone))).sorted()
        guard !names.isEmpty else { return }
        let known = Set(try await session.query(.timeZones(names)).map { try $0.text("name") })
        for item in items {
            guard let name = item.value.timeZone, !known.contains(name) else { continue }
            batch.refuse(item.position, Problem.unknownTimeZone("/timeZone").errors)
        }
    }
}

extension Statement {
    /// Those of the names that are IANA time zones.
    static func timeZones(_ names: [String]) -> Statement {
        """
        select name from pg_catalog.pg_timezone_names
         where name = any (\(names)) and name not like 'posix%'
        """
    }

    /// Creates and replaces locations by their source ids; rows are locked in one order, so that two batches
    /// wait for each other and never in a circle.
    static func putLocations(_ rows: JSONDocument, of organization: OrganizationID) -> Statement {
        """
        with sent as (
            select * from jsonb_to_recordset(\(rows))
                as s (position integer, id uuid, source_id text, name text, time_zone text,
                      password_policy text)
        ), known as materialized (
            select s.position, l.location_id,
                   (l.name, l.time_zone, l.password_policy)
                       is distinct from (s.name, s.time_zone, s.password_policy) as differs
              from sent as s
              join school.location as l
                on l.organization_id = \(organization) and l.source_id = s.source_id
             order by l.location_id for no key update of l
        ), changed as (
            update school.location as l
               set name = s.name, time_zone = s.time_zone, password_policy = s.password_policy
              from sent as s join known as k using (position)
             where l.organization_id = \(organization) and l.location_id = k.location_id and k.differs
        ), made as (
            insert into school.location
                   (organization_id, location_id, source_id, name, time_zone, password_policy)
            select \(organization), s.id, s.source_id, s.name, s.time_zone, s.password_policy
              from sent as s
             where s.position not in (select k.position from known as k)
             order by s.source_id
            on conflict on constraint location_source_id_is_unique do nothing
            returning location_id
        )
        select k.position, k.location_id as id, case when k.differs then 'updated' else 'unchanged' end as outcome
          from known as k
        union all
        select s.position, m.location_id, 'created' from made as m join sent as s on s.id = m.location_id
        """
    }
}

extension JSONValue {
    /// A text, or null where there is none.
    static func text(orNull text: String?) -> JSONValue { text.map(JSONValue.text) ?? .null }
}
