import API
import Crypto
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

extension Handouts {
    /// Copies a handout as the caller's draft, to the same class or another that the caller teaches. Copies the
    /// tasks, but not those of tools that are not for that class, and nothing of the students; publication and due
    /// time are for the new class to set.
    func copy(_ request: Request, caller: Caller) async throws -> Response {
        let source: HandoutID = try request.id("id")
        let body = try await request.bodyIfAny()
        let id = HandoutID(UUID.v7())
        return try await database.transaction(as: caller) { session in
            let rows = try await session.query(.classOfHandout(source, of: caller.organizationID))
            guard let row = rows.first else { throw Problem.notFound }
            let same = Reference.id(ClassID(try row.uuid("class_id")))
            let target = try await classToGiveTo(
                body.reference("classId") ?? same, dueOn: nil, session, caller)
            _ = try await session.query([
                .copy(source, as: id, named: body.text("title"), to: target.id, by: caller),
                .copyTasks(of: source, to: id, of: target.id, in: caller.organizationID),
            ])
            let copied = try await session.query(
                .handout(id, of: caller.organizationID, languages: request.languages))
            return try Response.object(copied, status: 201).located(at: "/v1/handouts/\(id.uuid)")
                .worded(for: request, copied)
        }
    }
}

extension Statement {
    fileprivate static func classOfHandout(
        _ id: HandoutID, of organization: OrganizationID
    ) -> Statement {
        """
        select class_id from school.handout
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    fileprivate static func copy(
        _ source: HandoutID, as id: HandoutID, named title: String?, to classID: UUID,
        by caller: Caller
    ) -> Statement {
        """
        insert into school.handout (organization_id, handout_id, class_id, author_id, environment,
                                    title, instructions, maximum_points)
        select h.organization_id, \(id), \(classID), \(caller.personID), h.environment,
               coalesce(\(title), h.title), h.instructions, h.maximum_points
          from school.handout as h
         where h.organization_id = \(caller.organizationID) and h.handout_id = \(source)
        """
    }

    fileprivate static func copyTasks(
        of source: HandoutID, to handout: HandoutID, of classID: UUID,
        in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                 bundle_id, identifier_path, minutes, url, context_owner_id, titles,
                                 tool_id, custom, score_maximum, tool_resource_id, tool_tag,
                                 maximum_points)
        select t.organization_id, school.new_id(), \(handout), \(classID), t.position, t.kind, t.title,
               t.bundle_id, t.identifier_path, t.minutes, t.url, t.context_owner_id, t.titles,
               t.tool_id, t.custom, t.score_maximum, t.tool_resource_id, t.tool_tag, t.maximum_points
          from school.task as t
         where t.organization_id = \(organization) and t.handout_id = \(source)
           and (t.tool_id is null or school.may_give_tool(t.tool_id, \(classID)))
        """
    }
}
