import Postgres
import School

extension FeatureTable {
    /// Tools, over LTI. What a tool that somebody registered sees of a class is tested in `ToolsTests`: the one here has
    /// a token and no registration.
    static let tools = FeatureTable(
        calls: """
            GET    /v1/tools                             x   .   .   .   .   x   .   .   .   .   .
            POST   /v1/tools                             x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/tools/{id}                        x   .   .   .   .   x   .   .   .   .   .
            PATCH  /v1/tools/{id}                        x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/tools/{id}                        x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/tool-launches                     .   .   .   .   .   x   .   x   .   .   .
            POST   /v1/tool-launches/authorization       .   .   .   .   .   x   .   x   .   .   .
            GET    /v1/tool-launches/{id}                .   .   .   .   .   x   .   .   .   .   .
            GET    /lti/jwks                             anybody
            POST   /lti/token                            anybody
            POST   /lti/deep-linking                     anybody
            GET    /lti/classes/{classId}/line-items                     tools
            POST   /lti/classes/{classId}/line-items                     tools
            GET    /lti/classes/{classId}/line-items/{lineItemId}            tools
            PUT    /lti/classes/{classId}/line-items/{lineItemId}            tools
            DELETE /lti/classes/{classId}/line-items/{lineItemId}            tools
            POST   /lti/classes/{classId}/line-items/{lineItemId}/scores     tools
            GET    /lti/classes/{classId}/line-items/{lineItemId}/results    tools
            GET    /lti/classes/{classId}/memberships                    tools
            """,
        population: population,
        policies: [
            PolicyRow(
                "tool", "select name as label from school.tool",
                hillside: ["Quiz of Hillside", "Old quiz"], elsewhere: ["Quiz of Elsewhere"],
                seenBy: [
                    [.administrator]: .all, [.teacher]: .only(["Quiz of Hillside"]),
                ]),
            PolicyRow(
                "tool_launch", "select test.called(launch_id) as label from school.tool_launch",
                hillside: ["launch of sam", "choice of tom", "choice of cora"],
                elsewhere: ["launch of omar"]),
            PolicyRow(
                "tool_token_id", "select test.called(tool_id) as label from school.tool_token_id",
                hillside: ["Quiz of Hillside"], elsewhere: ["Quiz of Elsewhere"]),
            PolicyRow(
                "tool_line_item", "select label from school.tool_line_item",
                hillside: ["Chapter of Hillside"], elsewhere: ["Chapter of Elsewhere"]),
        ],
        rights: [
            WriteRight(
                "tool", [.administrator],
                """
                insert update(deep_linking_url, is_telling_emails, is_telling_names, key_set, key_set_url, \
                launch_url, location_id, login_url, name, redirect_uris, removed_at)
                """),
            WriteRight("tool_launch", [.student, .teacher], "insert"),
        ],
        writes: administrators + launches)

    private static let administrators: [WriteCase] = [
        WriteCase(.administrator, "registers a tool", register("Hillside"), is: .done),
        WriteCase(
            .administrator, "registers a tool elsewhere", register("Elsewhere"), is: .refused),
        WriteCase(.administrator, "renames a tool", rename("Hillside"), is: .done),
        WriteCase(.administrator, "renames a tool elsewhere", rename("Elsewhere"), is: .nothing),
        WriteCase(.administrator, "deletes a tool", "delete from school.tool", is: .refused),
        WriteCase(
            .administrator, "opens a tool in another's name", launch("sam", "task of published"),
            is: .refused),
        WriteCase(.siteManager, "registers a tool", register("Hillside"), is: .refused),
        WriteCase(.teacher, "renames a tool", rename("Hillside"), is: .refused),
        WriteCase(.student, "renames a tool", rename("Hillside"), is: .refused),
        WriteCase(.tool, "renames itself", rename("Hillside"), is: .refused),
        WriteCase(
            .tool, "reports a score without being registered",
            """
            select school.take_tool_score(test.id('Biology'), test.id('task of published'), 'x', null, '{}')
            """, is: .done),
        WriteCase(
            .tool, "makes a line item without being registered",
            """
            select outcome from school.make_tool_line_item(test.id('Biology'), test.id('task of published'), 'New', 1,
                                                           null, null) where outcome <> 'task'
            """, is: .nothing),
        WriteCase(
            .tool, "changes a line item without being registered",
            """
            select 'changed' where 'unknown' <> school.change_tool_line_item(
                       test.id('Biology'), test.id('Chapter of Hillside'), null, 'New', 1, null, null)
            """, is: .nothing),
        WriteCase(
            .tool, "deletes a line item without being registered",
            """
            select 'deleted' where 'unknown' <> school.delete_tool_line_item(
                       test.id('Biology'), test.id('Chapter of Hillside'))
            """, is: .nothing),
        WriteCase(
            .tool, "reads line items", "select label from school.tool_line_item", is: .refused),
        WriteCase(.tool, "reads tasks", "select title from school.task", is: .refused),
        WriteCase(.tool, "reads people", "select given_name from school.person", is: .refused),
    ]

    /// No task of the population is a tool's, so that nobody can open one.
    private static let launches: [WriteCase] = [
        WriteCase(
            .student, "opens a tool for a task that is not the tool's",
            launch("sam", "task of published"), is: .refused),
        WriteCase(
            .student, "opens a tool in another's name", launch("sue", "task of published"),
            is: .refused),
        WriteCase(
            .student, "opens a tool to choose content", choose("sam", "published"), is: .refused),
        WriteCase(.teacher, "chooses content", choose("tom", "published"), is: .done),
        WriteCase(
            .teacher, "chooses content in another's name", choose("cora", "published"),
            is: .refused),
        WriteCase(
            .teacher, "chooses content for another class", choose("tom", "reaction"), is: .refused),
        WriteCase(
            .teacher, "reads launches", "select launch_id from school.tool_launch", is: .refused),
        WriteCase(
            .teacher, "changes what was chosen", "update school.tool_launch set items = '[]'",
            is: .refused),
    ]

    private static let population: [Statement] = [
        """
        insert into test.name (name, id)
        select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
          from unnest(array['Quiz of Hillside', 'Old quiz', 'Quiz of Elsewhere', 'launch of sam', 'choice of tom',
                            'choice of cora', 'launch of omar', 'Chapter of Hillside', 'Chapter of Elsewhere'])
               as name
        """,
        """
        insert into school.tool (organization_id, tool_id, name, login_url, redirect_uris, launch_url,
                                 deep_linking_url, key_set_url, removed_at)
        select test.id(o), test.id(n), n, 'https://quiz.example/login', '{https://quiz.example/launch}',
               'https://quiz.example/launch', 'https://quiz.example/choose', 'https://quiz.example/keys',
               case n when 'Old quiz' then now() end
          from (values ('Hillside', 'Quiz of Hillside'), ('Hillside', 'Old quiz'),
                       ('Elsewhere', 'Quiz of Elsewhere')) as t (o, n)
        """,
        """
        insert into school.tool_launch (organization_id, launch_id, tool_id, person_id, task_id, handout_id, digest,
                                        expires_at)
        select test.id(o), test.id(n), test.id('Quiz of ' || o), test.id(p), test.id(t), test.id(h), sha256(n::bytea),
               now() + interval '1 hour'
          from (values ('Hillside', 'launch of sam', 'sam', 'task of published', null),
                       ('Hillside', 'choice of tom', 'tom', null, 'published'),
                       ('Hillside', 'choice of cora', 'cora', null, 'published'),
                       ('Elsewhere', 'launch of omar', 'omar', 'task of rivers', null)) as l (o, n, p, t, h)
        """,
        """
        insert into school.tool_token_id (organization_id, tool_id, digest, expires_at)
        select test.id(o), test.id('Quiz of ' || o), sha256('once'), now() + interval '1 hour'
          from unnest(array['Hillside', 'Elsewhere']) as o
        """,
        """
        insert into school.tool_line_item (organization_id, line_item_id, task_id, label, score_maximum)
        select test.id(o), test.id('Chapter of ' || o), test.id(t), 'Chapter of ' || o, 10
          from (values ('Hillside', 'task of published'), ('Elsewhere', 'task of rivers')) as l (o, t)
        """,
    ]

    private static func register(_ organization: String) -> Statement {
        """
        insert into school.tool (organization_id, tool_id, name, login_url, redirect_uris, launch_url, key_set_url)
        values (test.id(\(organization)), gen_random_uuid(), 'New', 'https://new.example/login',
                '{https://new.example/launch}', 'https://new.example/launch', 'https://new.example/keys')
        """
    }

    private static func rename(_ organization: String) -> Statement {
        "update school.tool set name = 'New' where name = 'Quiz of ' || \(organization)"
    }

    private static func launch(_ person: String, _ task: String) -> Statement {
        """
        insert into school.tool_launch (organization_id, launch_id, tool_id, person_id, task_id, digest, expires_at)
        values (test.id('Hillside'), gen_random_uuid(), test.id('Quiz of Hillside'), test.id(\(person)),
                test.id(\(task)), sha256('new'), now())
        """
    }

    private static func choose(_ person: String, _ handout: String) -> Statement {
        """
        insert into school.tool_launch (organization_id, launch_id, tool_id, person_id, handout_id, digest, expires_at)
        values (test.id('Hillside'), gen_random_uuid(), test.id('Quiz of Hillside'), test.id(\(person)),
                test.id(\(handout)), sha256('new'), now())
        """
    }
}
