import Crypto
import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// What tools see of a school, and who may open them.
extension RandomSchool {
    /// Who is behind each pseudonym of a tool.
    private func subjects(for tool: UUID) throws -> [String: PersonName] {
        try people.reduce(into: [:]) {
            $0[try subject(of: $1.value, for: tool)] = $1.key
        }
    }

    /// By the functions that answer tools.
    func lookAsTools() throws {
        for (id, app) in [(tool, Cast.tool), (idleTool, "a tool without tasks")] {
            let caller = Caller(
                organizationID: organization, personID: nil, serviceAccountID: ServiceAccountID(id),
                standings: [.tool])
            let subjects = try subjects(for: id)
            for (classroom, group) in classes {
                let items = try service.sql(
                    """
                    select task_id as id
                      from school.tool_line_items(\(group), null, null, null, null, null, 1000)
                    """, as: caller
                ).map { try $0.uuid("id") }
                compare(
                    Set(items.map(name)), oracle.tasks(of: app, in: classroom), app,
                    "the line items of \(classroom)")
                let members = try service.sql(
                    """
                    select subject, role from school.tool_members(\(group), null, null, null, 1000)
                    """, as: caller)
                compare(
                    Set(
                        try members.map { row in
                            "\(try nameOf(row, subjects)) as \(try row.text("role"))"
                        }), oracle.members(of: app, in: classroom), app,
                    "the members of \(classroom)")
                let known = tasks.values.filter { items.contains($0.uuid) }
                let results = try known.flatMap { task in
                    try service.sql(
                        """
                        select subject, score::int as score
                          from school.tool_results(\(group), \(task), null, null, 1000)
                        """, as: caller
                    ).map { row in
                        Wording.result(
                            TaskName(name(task.uuid)), try nameOf(row, subjects),
                            edition: try row.int("score"))
                    }
                }
                compare(
                    Set(results), oracle.results(of: app, in: classroom), app,
                    "the results of \(classroom)")
            }
        }
    }

    private func nameOf(_ row: Row, _ subjects: [String: PersonName]) throws -> PersonName {
        let subject = try row.text("subject")
        return subjects[subject] ?? PersonName("a stranger, \(subject)")
    }

    /// By the calls, which add nothing to what the functions show.
    func lookAsToolsByCalls() async throws {
        for (id, app) in [(tool, Cast.tool), (idleTool, "a tool without tasks")] {
            let subjects = try subjects(for: id)
            for (classroom, group) in classes {
                let path = "/lti/classes/\(group.uuid)"
                let items = try await ask(.get, "\(path)/line-items", token(ofTool: id))
                let expected = oracle.tasks(of: app, in: classroom)
                compare(
                    Set((items.json.array ?? []).map { name($0["resourceLinkId"]) }), expected,
                    app, "GET \(path)/line-items")
                try await lookForLineItems(as: id, app, in: classroom, path)
                if (items.status == 200) == expected.isEmpty {
                    findings.append("\(app) gets \(items.status): \(path)/line-items")
                }
                let members = try await ask(.get, "\(path)/memberships", token(ofTool: id))
                look(through: members.body, for: [], app, "\(path)/memberships")
                let seen = (members.json["members"]?.array ?? []).compactMap { member in
                    subjects[member["user_id"]?.text ?? ""]?.text ?? "a stranger"
                }
                let known = oracle.members(of: app, in: classroom).compactMap {
                    $0.split(separator: " as ").first.map(String.init)
                }
                compare(Set(seen), Set(known), app, "GET \(path)/memberships")
            }
        }
    }

    /// A tool reaches the line items that it made in a class while it sees their tasks there, and no others.
    private func lookForLineItems(
        as id: UUID, _ app: String, in classroom: ClassName, _ path: String
    ) async throws {
        let seen = oracle.tasks(of: app, in: classroom)
        for (task, item) in lineItems {
            for address in ["\(path)/line-items/\(item)", "\(path)/line-items/\(item)/results"] {
                let answer = try await ask(.get, address, token(ofTool: id))
                if answer.status != (seen.contains(task.text) ? 200 : 404) {
                    findings.append("\(app) gets \(answer.status): \(address) of \(task)")
                }
            }
        }
    }

    /// What no call reaches, only the policy of launches: to open a tool for a task that is out of sight.
    func tryToLaunch(_ name: String, _ viewer: Viewer, _ caller: Caller) throws {
        let visible = oracle.handouts(seenBy: viewer)
        let hidden = tasks.filter {
            $0.key.text.hasPrefix("L") && !visible.contains($0.key.handout)
        }
        for (task, id) in hidden {
            do {
                try service.sql(
                    """
                    insert into school.tool_launch (organization_id, launch_id, tool_id, person_id, task_id, digest,
                                                    expires_at)
                    values (\(organization), \(UUID.v7()), \(tool), \(caller.personID), \(id), sha256('secret'), now())
                    """, as: caller)
                findings.append("\(name) opens the tool of \(task), which is out of sight")
            } catch let error as PostgresError where error.sqlState == "42501" {
                continue
            }
        }
    }
}
