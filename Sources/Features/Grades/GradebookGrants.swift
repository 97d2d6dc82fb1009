import API
import HTTPWire
import JSONBytes
import Postgres
import School

/// Which service accounts use the gradebook of which classes, as an administrator grants it.
extension Grades {
    var grantEndpoints: [Endpoint] {
        let path = "/v1/service-accounts/{id}/gradebook-grants"
        let grants = Endpoint.Answer.json(
            "The grants: the organization first, then locations, then classes.",
            .object(GrantShapes.grants))
        return [
            Endpoint(
                .get, path, "List the classes whose gradebook a service account may use",
                for: [.administrator], answers: [grants], handler: listGrants),
            Endpoint(
                .put, path, "Set the classes whose gradebook a service account may use",
                description: """
                    Replaces all grants of the account. A grant for a location or the organization covers \
                    classes that are made later, too.
                    """,
                for: [.administrator], body: .json(.object(GrantShapes.newGrants)),
                answers: [grants], handler: setGrants),
            Endpoint(
                .get, "/v1/classes/{id}/gradebook-systems",
                "List the systems that use the gradebook of a class you teach", for: [.teacher],
                answers: [.json("The systems, by name.", .object(GrantShapes.systems))],
                handler: listSystems),
        ]
    }

    private func listGrants(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ServiceAccountID = try request.id("id")
        return try .object(try await database.query(.grants(of: id), as: caller))
    }

    private func setGrants(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ServiceAccountID = try request.id("id")
        let grants = try await request.body().objects("items") ?? []
        for (place, grant) in grants.enumerated()
        where grant.has("classId") && grant.has("locationId") {
            throw Problem.invalid(
                "/items/\(place)", "class_or_location",
                "Name a class or a location, or neither for the whole organization.")
        }
        let locations = Self.references(in: grants, "locationId", to: LocationEntity.self)
        let classes = Self.references(in: grants, "classId", to: ClassEntity.self)
        return try await database.transaction(as: caller) { session in
            let own = caller.organizationID
            let rows = try await session.query([
                .isRosterReader(id, in: own), .resolve(locations, in: own),
                .resolve(classes, in: own),
            ])
            guard !rows[0].isEmpty else { throw Problem.notFound }
            var locationIDs = try locations.resolved(by: rows[1])[...]
            var classIDs = try classes.resolved(by: rows[2])[...]
            let new = grants.map { grant in
                GradebookGrant(
                    location: grant.has("locationId") ? locationIDs.popFirst() : nil,
                    group: grant.has("classId") ? classIDs.popFirst() : nil,
                    readsResults: grant.boolean("readsResults") ?? false)
            }
            let answers = try await session.query([
                .withdrawGrants(of: id, in: own, but: new), .grant(new, to: id, in: own),
                .auditGrants(new, to: id), .grants(of: id),
            ])
            return try .object(answers[3])
        }
    }

    private static func references<Entity>(
        in grants: [Fields], _ field: String, to: Entity.Type
    ) -> Referring<Entity> {
        let named = grants.enumerated().compactMap { place, grant in
            grant.text(field).map { (text: $0, pointer: "/items/\(place)/\(field)") }
        }
        return Referring(named.map(\.text), pointers: named.map(\.pointer))
    }

    private func listSystems(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<ClassEntity> = try request.reference("id")
        let rows = try await database.query(
            .gradebookSystems(of: reference, in: caller.organizationID), as: caller)
        guard !rows.isEmpty else { throw Problem.notFound }
        return try .object(rows)
    }
}

/// That a service account may use the gradebook of a class, of those at a location, or of all.
struct GradebookGrant: Sendable {
    let location: LocationID?
    let group: ClassID?
    let readsResults: Bool
}

enum GrantShapes {
    private static let readsResults =
        "Whether it also reads the results of handouts, and the grades of other systems."

    static let newGrants = ObjectShape(
        "NewGradebookGrants",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "NewGradebookGrant",
                        [
                            .optional("classId", .reference),
                            .optional(
                                "locationId", .reference,
                                "All classes at this location; without it and `classId`, all classes of the organization."
                            ),
                            .required("readsResults", .boolean, readsResults),
                        ]), count: 0...1000), "All grants that the account has from now on.")
        ])

    static let grants = ObjectShape(
        "GradebookGrants",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "GradebookGrant",
                        [
                            .orNull("classId", .uuid), .orNull("locationId", .uuid),
                            .required("readsResults", .boolean, readsResults),
                            .required("grantedAt", .timestamp),
                        ]), count: 0...1000))
        ])

    static let systems = ObjectShape(
        "GradebookSystems",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "GradebookSystem",
                        [
                            .required("id", .uuid), .required("name", .line()),
                            .required("readsResults", .boolean, readsResults),
                            .required("grantedAt", .timestamp),
                        ]), count: 0...10_000))
        ])
}

extension Statement {
    /// A row if the caller sees an account that reads rosters and is not revoked.
    fileprivate static func isRosterReader(
        _ id: ServiceAccountID, in organization: OrganizationID
    ) -> Statement {
        """
        select true as is_roster_reader from school.service_account as a
         where a.organization_id = \(organization) and a.service_account_id = \(id)
           and a.role = 'rosterReader' and a.revoked_at is null
        """
    }

    fileprivate static func grants(of id: ServiceAccountID) -> Statement {
        """
        select coalesce(json_agg(json_build_object(
                   'classId', g.class_id, 'locationId', g.location_id, 'readsResults', g.reads_results,
                   'grantedAt', to_char(g.granted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                   order by g.class_id nulls first, g.location_id nulls first)
                   filter (where g.organization_id is not null), '[]') as items
          from school.service_account as a
          left join school.gradebook_grant as g
            on g.organization_id = a.organization_id and g.service_account_id = a.service_account_id
         where a.organization_id = school.my_organization() and a.service_account_id = \(id)
         group by a.service_account_id
        """
    }

    /// Those that stay as they are keep their time. What is named twice does not stay, so that the constraint refuses it.
    fileprivate static func withdrawGrants(
        of id: ServiceAccountID, in organization: OrganizationID, but new: [GradebookGrant]
    ) -> Statement {
        """
        delete from school.gradebook_grant as g
         where g.organization_id = \(organization) and g.service_account_id = \(id)
           and (coalesce(g.class_id, g.location_id, g.organization_id), g.reads_results) not in (
                   select n.target_id, n.reads_results
                     from (\(fragment: listed(new, in: organization))) as n
                    group by n.target_id, n.reads_results having count(*) = 1)
        """
    }

    fileprivate static func grant(
        _ grants: [GradebookGrant], to id: ServiceAccountID, in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.gradebook_grant
               (organization_id, service_account_id, location_id, class_id, reads_results)
        select \(organization), \(id), n.location_id, n.class_id, n.reads_results
          from (\(fragment: listed(grants, in: organization))) as n
         where (n.target_id, n.reads_results) not in (
                   select coalesce(g.class_id, g.location_id, g.organization_id), g.reads_results
                     from school.gradebook_grant as g
                    where g.organization_id = \(organization) and g.service_account_id = \(id))
        """
    }

    /// The grants as rows; `target_id` is the class, the location or the organization.
    private static func listed(
        _ grants: [GradebookGrant], in organization: OrganizationID
    ) -> Statement {
        """
        select g.location_id, g.class_id, g.reads_results,
               coalesce(g.class_id, g.location_id, \(organization)) as target_id
          from unnest(\(grants.map { $0.location?.uuid }), \(grants.map { $0.group?.uuid }),
                      \(grants.map(\.readsResults))) as g (location_id, class_id, reads_results)
        """
    }

    /// The list may be long, so the event holds its length.
    fileprivate static func auditGrants(
        _ grants: [GradebookGrant], to id: ServiceAccountID
    ) -> Statement {
        .audit(
            "privilegeChange", subjectKind: "serviceAccount", subject: id.uuid,
            details: [
                "privilege": "gradebook", "granted": .bool(!grants.isEmpty),
                "grants": .number(JSONNumber(Int64(grants.count))),
                "readsResults": .bool(grants.contains(where: \.readsResults)),
            ])
    }

    /// No row if the caller does not see the class.
    fileprivate static func gradebookSystems(
        of reference: Reference<ClassEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select coalesce((
                   select json_agg(json_build_object(
                              'id', s.id, 'name', s.name, 'readsResults', s.reads_results,
                              'grantedAt', to_char(s.granted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                              order by s.name, s.id)
                     from (select g.service_account_id as id, school.gradebook_system(g.service_account_id) as name,
                                  bool_or(g.reads_results) as reads_results, min(g.granted_at) as granted_at
                             from school.gradebook_grant as g
                            where g.organization_id = c.organization_id
                              and (g.class_id is null or g.class_id = c.class_id)
                              and (g.location_id is null or g.location_id = c.location_id)
                            group by g.service_account_id) as s), '[]') as items
          from school.class as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
        """
    }
}
