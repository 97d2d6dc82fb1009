import API
import HTTPWire
import Postgres
import School

extension Records {
    var correctionEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/people/{id}/corrections",
                "Read what a person's record said before it was corrected",
                for: [.administrator],
                answers: [.json("The latest first.", .object(RecordShapes.corrections))],
                handler: listCorrections)
        ]
    }

    func listCorrections(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        return try .object(
            try await database.query(
                .corrections(of: reference, in: caller.organizationID), as: caller))
    }
}

extension Statement {
    /// No row if the person is unknown.
    fileprivate static func corrections(
        of reference: Reference<PersonEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select coalesce((
                   select json_agg(json_build_object(
                              'id', c.correction_id, 'correctedAt', school.rfc3339(c.corrected_at),
                              'correctedBy', c.corrected_by, 'was', c.was)
                              order by c.corrected_at desc, c.correction_id desc)
                     from school.person_correction as c
                    where c.organization_id = p.organization_id and c.person_id = p.person_id), '[]')
                   as items
          from school.person as p
         where p.organization_id = \(organization)
           and (p.person_id = \(reference.id) or p.source_id = \(reference.source))
        """
    }
}
