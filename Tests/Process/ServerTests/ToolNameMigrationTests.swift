import Postgres
import Server
import TestKit
import Testing

@testable import ServerKit

/// Migration 0061: what went by a tool's name before goes by another one.
@Suite struct ToolNameMigration {
    private static let name = "migrations/0061_names_of_tools.sql"

    private static let before: Command = """
        alter table school.task drop constraint task_name_of_a_tool_is_a_tools;
        alter table school.context drop constraint context_is_no_tools;
        alter table school.app drop constraint app_is_no_tool;
        alter table school.developer_bundle drop constraint developer_bundle_is_no_tool;
        alter table school.deployment_bundle drop constraint deployment_bundle_is_no_tool;
        delete from school.migration where name = 'migrations/0061_names_of_tools.sql';
        update school.applied_schema set sha256 = sha256('older');
        insert into school.deployment_team (team_id, name) values ('T', 'Team');
        insert into school.deployment_bundle (team_id, bundle_id) values ('T', 'tool:x'), ('T', 'org.example.x');
        """

    @Test func `a name that somebody tried is changed, and others stay`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let shape = try empty.shape()
            let connection = try empty.connect()
            try connection.execute(Self.before)
            #expect(try empty.migrate().applied == [Self.name])
            #expect(try empty.shape() == shape)
            let names = try connection.query(
                "select bundle_id from school.deployment_bundle order by bundle_id")
            #expect(try names.map { try $0.text("bundle_id") } == ["app::x", "org.example.x"])
        }
    }
}
