import JSONBytes
import Postgres
import School
import Values

extension Directory {
    var courseBatch: Endpoint {
        .batch(
            "/v1/courses/batch", "Create or replace up to 1,000 courses by sourceId",
            for: Self.writers, of: DirectoryShapes.newCourse.item("CourseItem"),
            handler: putCourses)
    }

    func putCourses(_ request: Request, _ caller: Caller) async throws -> Response {
        var sent = try await Batch(request, of: DirectoryShapes.newCourse.item("CourseItem"))
        let items = try sent.read { try NewCourse(Sent(body: $0, path: nil)) }
        sent.refuseRepeated(items, by: \.sourceID)
        let places = BatchReferences(items) { $0.location }
        return try await database.transaction(as: caller) { [sent] session in
            var batch = sent
            let rows = try await session.query(
                .resolve(places.referring, in: caller.organizationID))
            let found = try places.found(in: rows, &batch)
            try await batch.write(
                items, in: session,
                row: { item in
                    [
                        "source_id": .text(orNull: item.value.sourceID),
                        "location_id": .text(orNull: found[item.position]?[0].uuid.description),
                        "name": .text(item.value.name), "number": .text(orNull: item.value.number),
                    ]
                },
                by: { .putCourses($0, of: caller.organizationID) })
            return try batch.response()
        }
    }
}

extension Statement {
    /// Creates and replaces courses by their source ids, locked in one order.
    static func putCourses(_ rows: JSONDocument, of organization: OrganizationID) -> Statement {
        """
        with sent as (
            select * from jsonb_to_recordset(\(rows))
                as s (position integer, id uuid, source_id text, location_id uuid, name text, number text)
        ), known as materialized (
            select s.position, c.course_id,
                   (c.location_id, c.name, c.number)
                   is distinct from (s.location_id, s.name, s.number) as differs
              from sent as s
              join school.course as c
                on c.organization_id = \(organization) and c.source_id = s.source_id
             order by c.course_id for no key update of c
        ), changed as (
            update school.course as c
               set location_id = s.location_id, name = s.name, number = s.number
              from sent as s join known as k using (position)
             where c.organization_id = \(organization) and c.course_id = k.course_id and k.differs
        ), made as (
            insert into school.course (organization_id, course_id, source_id, location_id, name, number)
            select \(organization), s.id, s.source_id, s.location_id, s.name, s.number from sent as s
             where s.position not in (select k.position from known as k)
             order by s.source_id
            on conflict on constraint course_source_id_is_unique do nothing
            returning course_id
        )
        select k.position, k.course_id as id, case when k.differs then 'updated' else 'unchanged' end as outcome
          from known as k
        union all
        select s.position, m.course_id, 'created' from made as m join sent as s on s.id = m.course_id
        """
    }
}
