import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What happens in Biology, and is none of the readers' business.
enum TwinDeed: String, CaseIterable, Sendable {
    case drafts = "the teacher drafts a task of the tool"
    case schedules = "the teacher schedules a task of the tool"
    case givesForeignTask = "the teacher gives a task of another tool"
    case works = "a student works on a task of an app"
    case states = "an app of the student sends statements"
    case isGraded = "another system grades the student"
    case isGranted = "another system is granted the gradebook"
    case launches = "the student opens the tool"
    case pauses = "the progress of a student is paused"
    case isLookedAt = "the teacher looks at grades"

    /// How many traces there are, for those who see everything.
    var witness: Statement {
        switch self {
        case .drafts: "select count(*) as found from school.handout where publish_at is null"
        case .schedules: "select count(*) as found from school.handout where publish_at > now()"
        case .givesForeignTask:
            "select count(*) as found from school.task where kind = 'tool' and title = 'Task'"
        case .works:
            "select count(*) as found from school.activity where bundle_id not like 'tool:%'"
        case .states: "select count(*) as found from school.statement_receipt"
        case .isGraded: "select count(*) as found from school.grade"
        case .isGranted: "select count(*) as found from school.gradebook_grant"
        case .launches: "select count(*) as found from school.tool_launch"
        case .pauses: "select count(*) as found from school.person where is_progress_paused"
        case .isLookedAt: "select count(*) as found from school.viewing"
        }
    }
}

extension TwinReaders {
    func perform(_ deed: TwinDeed) async throws {
        switch deed {
        case .drafts: try give(ids.draft, tool: ids.tool, publishedAt: nil)
        case .schedules:
            try give(ids.scheduled, tool: ids.tool, publishedAt: service.ago(-7 * 24 * 60))
        case .givesForeignTask:
            try give(ids.foreign, tool: ids.foreignTool, publishedAt: service.ago(120))
        case .works: try await work()
        case .states: try await state()
        case .isGraded: try grade(ids.grade, item: ids.item, by: ids.markbook)
        case .isGranted:
            try service.sql(
                """
                insert into school.gradebook_grant (organization_id, service_account_id, class_id, reads_results)
                values (\(service.hillside), \(ids.markbook), \(TestIDs.biology), true)
                """)
        case .launches:
            let answer = try await service.post(
                "/v1/tool-launches", as: .sam, json: ["taskId": .text(ids.own.description)])
            try #require(answer.status == 201, "\(answer.text)")
        case .pauses:
            try service.sql(
                """
                update school.person set is_progress_paused = true
                 where organization_id = \(service.hillside) and person_id = \(service.id(.sue))
                """)
        case .isLookedAt:
            let answer = try await service.get("/v1/grades", as: .tom)
            try #require(!answer.items.isEmpty, "\(answer.text)")
        }
    }

    /// Sam tries, and marks the task as done.
    private func work() async throws {
        try give(ids.assigned, tool: nil, publishedAt: service.ago(120))
        let answer = try await service.upload([service.attempt()])
        try #require(answer.status == 202, "\(answer.text)")
        try storeUploads()
        let marked = try await service.put("/v1/assignments/\(ids.assigned)/done", as: .sam)
        try #require(marked.status == 200, "\(marked.text)")
    }

    private func state() async throws {
        let subject = try service.sql(
            """
            select school.subject_of(\(service.hillside), \(service.id(.sam)), \(TestIDs.quizzler)) as subject
            """)[0].text("subject")
        let path = ([TestIDs.quizzler] + TestSchool.context).joined(separator: "/")
        let statement: JSONValue = [
            "id": .text(UUID.v7().description),
            "actor": ["account": ["homePage": "http://localhost", "name": .text(subject)]],
            "verb": ["id": "http://adlnet.gov/expapi/verbs/passed"],
            "object": ["id": .text("http://localhost/xapi/activities/\(path)")],
            "timestamp": .text(service.ago(20).description),
            "result": ["score": ["raw": 4, "max": 10], "duration": "PT1M"],
        ]
        let answer = try await service.post(
            "/xapi/statements", as: .samsApp, json: statement,
            headers: [("X-Experience-API-Version", "2.0.0")])
        try #require(answer.status == 200, "\(answer.text)")
        try storeUploads()
    }
}
