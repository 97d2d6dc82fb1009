import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// The tool in which students work, and what it reports.
extension RandomSchool {
    private static let scopes = [
        "lti-ags/scope/lineitem", "lti-ags/scope/lineitem.readonly",
        "lti-ags/scope/result.readonly", "lti-ags/scope/score",
        "lti-nrps/scope/contextmembership.readonly",
    ].map { "https://purl.imsglobal.org/spec/\($0)" }

    func buildTools() throws {
        let tools = [tool, idleTool]
        try service.sql(
            """
            insert into school.tool (organization_id, tool_id, name, login_url, redirect_uris, launch_url, key_set_url)
            select \(organization), id, 'Tool', 'https://tool.example/login', '{https://tool.example/launch}',
                   'https://tool.example/launch', 'https://tool.example/keys' from unnest(\(tools)) as t (id)
            """)
        try service.sql(
            """
            insert into school.access_token (organization_id, digest, tool_id, standing, environment, scopes,
                                             expires_at)
            select \(organization), sha256(convert_to(text, 'UTF8')), id, 'tool', 'production', \(Self.scopes),
                   now() + interval '1 year'
              from unnest(\(tools), \(tools.map { token(ofTool: $0) })) as t (id, text)
            """)
    }

    /// The token of a tool.
    func token(ofTool id: UUID) -> String { "token-of-tool-\(id)" }

    /// The tool makes a line item for a task that it sees, the first time that it reports something of it.
    private func makeLineItem(for task: TaskName) async throws {
        guard let id = tasks[task], let path = lineItem(task), lineItems[task] == nil else {
            return
        }
        let made = try await ask(
            .post, String(path.dropLast(id.uuid.description.count + 1)), token(ofTool: tool),
            [
                "label": .text("Part of \(task)"), "scoreMaximum": 10,
                "resourceLinkId": .text(id.uuid.description),
            ], headers: [("Content-Type", "application/vnd.ims.lis.v2.lineitem+json")])
        let text = (made.json["id"]?.text ?? "").split(separator: "/").last.map(String.init)
        lineItems[task] = text.flatMap { UUID($0) }
    }

    /// The tool's task: what it may report of it, and where.
    private func lineItem(_ task: TaskName) -> String? {
        guard let id = tasks[task], let classroom = oracle.handout(task.handout)?.classroom
        else { return nil }
        let group = classes[classroom]?.uuid.description ?? ""
        return "/lti/classes/\(group)/line-items/\(id.uuid)"
    }

    func launch(_ task: TaskName, _ person: PersonName) async throws -> Answer? {
        guard let id = tasks[task] else { return nil }
        return try await ask(
            .post, "/v1/tool-launches", token(person), ["taskId": .text(id.uuid.description)])
    }

    /// The tool reports a score, which is as high as its edition.
    func score(_ part: Part) async throws -> Answer? {
        let task = TaskName(part.context.path[0])
        guard let lineItem = lineItem(task), let person = people[part.activity.student] else {
            return nil
        }
        try await makeLineItem(for: task)
        let answer = try await ask(
            .post, "\(lineItem)/scores", token(ofTool: tool),
            [
                "userId": .text(try subject(of: person, for: tool)),
                "activityProgress": "Completed", "gradingProgress": "FullyGraded",
                "timestamp": text(0, milliseconds: Int64(part.changed) * 1000),
                "submission": ["startedAt": text(part.start)],
                "scoreGiven": .number(JSONNumber(Int64(part.edition))), "scoreMaximum": 100_000,
            ], headers: [("Content-Type", "application/vnd.ims.lis.v1.score+json")])
        try service.sql(
            """
            select school.store_uploads(organization_id, person_id, array[upload_id])
              from school.upload where organization_id = \(organization) order by position
            """)
        try learnAttempt(part.activity.number)
        return answer
    }

    /// Which attempt the service made of a score, if it kept one.
    private func learnAttempt(_ number: Int) throws {
        let rows = try service.sql(
            """
            select activity_id as id from school.activity
             where organization_id = \(organization) and bundle_id = 'tool:' || \(tool)::text
               and activity_id <> all (\(Array(scoredAttempts.keys)))
            """)
        for row in rows { scoredAttempts[try row.uuid("id")] = number }
    }

    /// The pseudonym by which a tool knows a person; of someone erased one that nobody has.
    func subject(of person: PersonID, for tool: UUID) throws -> String {
        try service.sql(
            "select school.tool_subject(\(organization), \(tool), \(person)) as subject"
        )[0].optionalText("subject") ?? "nobody"
    }
}
