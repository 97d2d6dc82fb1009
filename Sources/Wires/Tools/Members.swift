import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Who works with a tool in a class (Names and Role Provisioning Services 2.0 section 2): those who have its tasks, and
/// the teachers of the class.
extension Tools {
    var membersEndpoint: Endpoint {
        Endpoint(
            .get, "\(Self.classPath)/memberships", "List who has your tasks in a class, as a tool",
            description: "The teachers of the class, and the students who have one of your tasks.",
            for: [.tool],
            query: [
                .optional("role", .text(1...255), "Only people with this role."),
                .optional("rlid", .text(1...255), "Only people who have this task, and teachers."),
            ] + Self.pageParameters,
            answers: [
                .document(
                    "The members, in no particular order. Names are there only if your school shares them.",
                    ToolMediaType.members, ToolShapes.membership
                ).paged
            ],
            cost: 5, scopes: [ToolScope.members.rawValue], needsScope: true, handler: listMembers)
    }

    private func listMembers(_ request: Request, _ caller: Caller) async throws -> Response {
        let paths = try servicePaths(request)
        let page = try request.page()
        let used = try await usedClass(paths.classID, caller)
        let task = request.query("rlid").map { UUID($0) }
        let role = request.query("role").map { ToolRole(parameter: $0) }
        // A task or a role that there is not has nobody.
        let isNone = task == .some(nil) || role == .some(nil)
        let limit = isNone ? 0 : page.limitPlusOne
        let rows = try await database.longQuery(
            .members(
                of: paths.classID, task ?? nil, (role ?? nil)?.rawValue, after: page.after(0),
                limit: limit), as: caller)
        let members = try rows.prefix(page.limit).map { try member($0) }
        var response = Response.document(
            [
                "id": .text(paths.memberships),
                "context": [
                    "id": .text(paths.classID.description),
                    "label": .text(used.number ?? used.name), "title": .text(used.name),
                ],
                "members": .array(members),
            ], ToolMediaType.members)
        if rows.count > page.limit {
            let last = rows[page.limit - 1]
            let key = "\(try last.text("subject")) \(try last.text("role"))"
            response.headers.append(link(to: page.next(after: [key], of: request), request))
        }
        return response
    }

    private func member(_ row: Row) throws -> JSONValue {
        let role = ToolRole(rawValue: try row.text("role")) ?? .student
        var member = JSONObject([
            ("status", "Active"), ("user_id", .text(try row.text("subject"))),
            ("roles", .array([.text(role.uri)])),
        ])
        for name in ["given_name", "family_name", "email"] {
            member[name] = try row.optionalText(name).map(JSONValue.text)
        }
        member["name"] = try row.optionalText("full_name").map(JSONValue.text)
        return .object(member)
    }
}

extension Statement {
    fileprivate static func members(
        of classID: UUID, _ task: UUID?, _ role: String?, after last: String?, limit: Int
    ) -> Statement {
        """
        select subject, role, given_name, family_name, full_name, email
          from school.tool_members(\(classID), \(task), \(role), \(last), \(limit))
        """
    }
}
