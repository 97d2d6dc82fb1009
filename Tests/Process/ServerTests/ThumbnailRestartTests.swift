import PictureKit
import Postgres
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// A picture that was accepted but not read when the server ended.
@Suite struct ThumbnailsAfterAStart {
    @Test func `a dead server's pictures are read when the next one starts`() async throws {
        try await withSchool { school in
            let picture = try Picture.plain(660, 330)
            for statement in left(picture) { try school.sql(statement) }
            let server = try await ServerProcess(school.homeroom)
            defer { server.kill() }
            let state = try await awaited(until: { $0 != "pending" }) {
                try school.sql("select state from school.thumbnail_upload")[0].text("state")
            }
            #expect(state == "complete")
            let rows = try school.sql("select media_type from school.thumbnail")
            #expect(try rows.map { try $0.text("media_type") } == ["image/png"])
        }
    }

    private func left(_ picture: [UInt8]) -> [Statement] {
        [
            """
            insert into school.developer_team (organization_id, team_id, name)
            values (\(TestIDs.hillside), 'TEAM', 'Team')
            """,
            """
            insert into school.developer_bundle (organization_id, team_id, bundle_id)
            values (\(TestIDs.hillside), 'TEAM', 'org.example.pictures')
            """,
            """
            insert into school.context (organization_id, context_id, environment, bundle_id, identifier_path,
                                        locale, title, type, thumbnail_id)
            values (\(TestIDs.hillside), gen_random_uuid(), 'production', 'org.example.pictures', '{}', 'en',
                    'Pictures', 'app', 'picture')
            """,
            """
            insert into school.thumbnail_upload (organization_id, status_id, team_id, environment,
                                                 thumbnail_id, bytes)
            values (\(TestIDs.hillside), 'LEFT', 'TEAM', 'production', 'picture', \(picture))
            """,
        ]
    }
}
