import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Somebody who reads, and what: the same calls before and after something happens that is not theirs to know.
struct TwinReader: Sendable {
    let name: String
    let token: String
    let calls: [TwinCall]
}

/// A school that becomes its own twin: it changes only in what a tool, another system, a teacher of another class and
/// a student of another class must not see. Whatever they ask answers the same bytes as before.
final class TwinReaders {
    /// What is there from the start, and what comes later: calls ask for both by their ids.
    struct IDs: Sendable {
        let tool = UUID.v7()
        let idleTool = UUID.v7()
        let foreignTool = UUID.v7()
        let grader = UUID.v7()
        let reporter = UUID.v7()
        let markbook = UUID.v7()
        let own = UUID.v7()
        let draft = UUID.v7()
        let scheduled = UUID.v7()
        let foreign = UUID.v7()
        let assigned = UUID.v7()
        let item = UUID.v7()
        let grade = UUID.v7()
    }

    let service: TestSchool
    let ids = IDs()
    /// The time in bodies of calls, which are the same every time.
    let began = Clock.system.now
    private var answers: [String: String] = [:]
    private var done: [TwinDeed] = []

    init(_ service: TestSchool) async throws {
        self.service = service
        try buildTools()
        try buildSystems()
        try give(ids.own, tool: ids.tool, publishedAt: service.ago(120))
        try await score()
    }

    // MARK: Living

    /// Lets everything happen in a random order; returns what somebody can tell. After each deed some of the calls are
    /// made again, and all of them at the end.
    func live(seed: UInt64) async throws -> String? {
        var random = SplitMix64(seed: seed)
        let questions = readers().flatMap { reader in
            reader.calls.map { (reader: reader, call: $0) }
        }
        for (reader, call) in questions {
            answers[key(reader, call)] = try await answer(to: call, for: reader)
        }
        try expectSomethingToRead()
        for deed in TwinDeed.allCases.shuffled(using: &random) {
            let before = try service.sql(deed.witness)[0].int("found")
            try await perform(deed)
            let after = try service.sql(deed.witness)[0].int("found")
            try #require(after > before, "\(deed) did not happen")
            done.append(deed)
            for (reader, call) in questions where random.number(1...4) == 1 {
                if let difference = try await self.difference(call, reader) { return difference }
            }
        }
        for (reader, call) in questions {
            if let difference = try await self.difference(call, reader) { return difference }
        }
        return nil
    }

    private func difference(_ call: TwinCall, _ reader: TwinReader) async throws -> String? {
        let now = try await answer(to: call, for: reader)
        let known = try #require(answers[key(reader, call)])
        if known == now { return nil }
        return "\(reader.name) gets another answer to \(call.method.name) \(call.target) once "
            + done.map(\.rawValue).joined(separator: ", then ")
            + "\n  before: \(known)\n  after: \(now)"
    }

    private func key(_ reader: TwinReader, _ call: TwinCall) -> String {
        "\(reader.name) \(call.method.name) \(call.target) \(call.body)"
    }

    /// Status, headers and body, without the id of the request, the time, and what is left of an allowance.
    private func answer(to call: TwinCall, for reader: TwinReader) async throws -> String {
        let type =
            call.target.hasSuffix("/scores") ? "application/vnd.ims.lis.v1.score+json" : nil
        let answer = try await service.send(
            call.method, call.target, token: reader.token, body: Array(call.body.utf8),
            headers: type.map { [("Content-Type", $0)] } ?? [])
        let headers = answer.headers.filter {
            !["x-request-id", "date", "ratelimit", "ratelimit-policy"].contains(
                $0.name.lowercased())
        }
        .map { "\($0.name): \($0.value)" }.sorted()
        let body = answer.text.replacing(#/"instance":"[^"]*"/#, with: "\"instance\":\"…\"")
        return "\(answer.status) \(headers.joined(separator: "; ")) \(body)"
    }

    /// Where nobody saw anything, nothing could have been different.
    private func expectSomethingToRead() throws {
        let path = "/lti/classes/\(TestIDs.biology.uuid)/line-items"
        let tool = answers["the tool GET \(path) "] ?? ""
        try #require(tool.hasPrefix("200") && tool.contains(ids.own.description), "\(tool)")
        let results = answers["the tool GET \(path)/\(ids.own)/results "] ?? ""
        try #require(results.contains("resultScore"), "\(results)")
        let grades = answers["a system that grades GET \(Self.gradebook)/results "] ?? ""
        try #require(grades.hasPrefix("200") && grades.contains("sis-sam"), "\(grades)")
    }

    // MARK: Building

    private func buildTools() throws {
        let scopes = [
            "lti-ags/scope/lineitem.readonly", "lti-ags/scope/result.readonly",
            "lti-ags/scope/score", "lti-nrps/scope/contextmembership.readonly",
        ].map { "https://purl.imsglobal.org/spec/\($0)" }
        let tools = [ids.tool, ids.idleTool, ids.foreignTool]
        try service.sql(
            """
            insert into school.tool (organization_id, tool_id, name, login_url, redirect_uris, launch_url, key_set_url)
            select \(service.hillside), id, 'Tool', 'https://tool.example/login', '{https://tool.example/launch}',
                   'https://tool.example/launch', 'https://tool.example/keys' from unnest(\(tools)) as t (id)
            """)
        try service.sql(
            """
            insert into school.access_token (organization_id, digest, tool_id, standing, environment, scopes,
                                             expires_at)
            select \(service.hillside), sha256(convert_to(concat('twin ', id), 'UTF8')), id, 'tool', 'production', \(scopes),
                   now() + interval '1 year' from unnest(\(tools)) as t (id)
            """)
    }

    /// Two systems that read and grade, and one that will grade later.
    private func buildSystems() throws {
        let scopes = ["readonly", "createput", "delete"].flatMap { right in
            ["v1p1", "v1p2"].map {
                "https://purl.imsglobal.org/spec/or/\($0)/scope/gradebook.\(right)"
            }
        }
        let systems = [ids.grader, ids.reporter, ids.markbook]
        try service.sql(
            """
            insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
            select \(service.hillside), id, 'System', 'rosterReader', sha256('secret') from unnest(\(systems)) as s (id)
            """)
        try service.sql(
            """
            insert into school.access_token (organization_id, digest, service_account_id, standing, scopes, expires_at)
            select \(service.hillside), sha256(convert_to(concat('twin ', id), 'UTF8')), id, 'rosterReader', \(scopes),
                   now() + interval '1 year' from unnest(\(systems)) as s (id)
            """)
        try service.sql(
            """
            insert into school.gradebook_grant (organization_id, service_account_id, class_id, reads_results)
            values (\(service.hillside), \(ids.grader), \(TestIDs.biology), false),
                   (\(service.hillside), \(ids.reporter), \(TestIDs.chemistry), true)
            """)
        try grade(UUID.v7(), item: UUID.v7(), by: ids.grader)
        try grade(UUID.v7(), item: UUID.v7(), by: ids.reporter, in: TestIDs.chemistry, of: .ben)
    }

    func grade(
        _ id: UUID, item: UUID, by system: UUID, in group: ClassID = TestIDs.biology,
        of student: Persona = .sam
    ) throws {
        try service.sql(
            """
            with graded as (
                insert into school.gradebook_item (organization_id, gradebook_item_id, service_account_id, class_id,
                                                   title, assigned_at, due_at, value_max)
                values (\(service.hillside), \(item), \(system), \(group), 'Test', now(), now(), 100))
            insert into school.grade (organization_id, grade_id, service_account_id, gradebook_item_id, class_id,
                                      person_id, status, score, scored_on)
            values (\(service.hillside), \(id), \(system), \(item), \(group), \(service.id(student)), 'fully graded',
                    61, current_date - 1)
            """)
    }

    /// A handout of Tom's to Sam with one task in a tool, or in Quizzler; both have this id.
    func give(_ id: UUID, tool: UUID?, publishedAt: Timestamp?) throws {
        let bundle = tool.map { "tool:\($0)" } ?? TestIDs.quizzler
        let url = tool.map { _ in "https://tool.example/task" }
        try service.sql(
            """
            insert into school.handout (organization_id, handout_id, class_id, author_id, environment, title,
                                        recipients, publish_at, created_at)
            values (\(service.hillside), \(id), \(TestIDs.biology), \(service.id(.tom)), 'production', 'Work', 'chosen',
                    \(publishedAt), now() - interval '3 hours')
            """)
        try service.sql(
            """
            insert into school.handout_recipient (organization_id, handout_id, person_id, created_at)
            values (\(service.hillside), \(id), \(service.id(.sam)), now() - interval '3 hours')
            """)
        try service.sql(
            """
            insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title, bundle_id,
                                     identifier_path, tool_id, url, created_at)
            values (\(service.hillside), \(id), \(id), \(TestIDs.biology), 1,
                    \(tool == nil ? "appActivity" : "tool"), 'Task', \(bundle),
                    case when \(tool == nil) then \(TestSchool.context) end, \(tool), \(url),
                    now() - interval '3 hours')
            """)
    }

    /// Sam's score in the tool, which the tool may read.
    private func score() async throws {
        let sam = try service.sql(
            """
            select school.tool_subject(\(service.hillside), \(ids.tool), \(service.id(.sam))) as subject
            """)[0].text("subject")
        let score: JSONValue = [
            "userId": .text(sam), "activityProgress": "Completed", "gradingProgress": "FullyGraded",
            "timestamp": .text(service.ago(10).description), "scoreGiven": 7, "scoreMaximum": 10,
        ]
        let answer = try await service.send(
            .post, "/lti/classes/\(TestIDs.biology.uuid)/line-items/\(ids.own)/scores",
            token: "twin \(ids.tool)", body: score.bytes,
            headers: [("Content-Type", "application/vnd.ims.lis.v1.score+json")])
        try #require((200..<300).contains(answer.status), "\(answer.text)")
        try storeUploads()
    }

    /// As the worker of a running service does.
    func storeUploads() throws {
        try service.sql(
            """
            select school.store_uploads(organization_id, person_id, array[upload_id])
              from school.upload where organization_id = \(service.hillside) order by position
            """)
    }
}
