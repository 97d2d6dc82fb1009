import API
import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What a tool asks and reports: `/lti/classes/…`.
@Suite struct ServicesForTools {
    private func lineItems(_ school: TestSchool, _ group: ClassID? = nil) -> String {
        "/lti/classes/\((group ?? school.biology).uuid)/line-items"
    }

    private func members(_ school: TestSchool, _ group: ClassID? = nil) -> String {
        "/lti/classes/\((group ?? school.biology).uuid)/memberships"
    }

    @Test func `a tool finds its tasks by words of its own, also in copies`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let other = try await school.registerTool()
            let given = try await school.giveTool(tool, ["resourceId": "cells-1", "tag": "final"])
            let second = try await school.giveTool(tool, ["tag": "final"])
            let plain = try await school.giveTool(tool)
            _ = try await school.giveTool(other, ["resourceId": "cells-1", "tag": "final"])
            let token = try await school.toolToken(of: tool, by: fake)
            func found(_ question: String) async throws -> [String] {
                let path = "\(lineItems(school))?\(question)"
                let answer = try await school.asTool(path, token: token)
                #expect(answer.status == 200, "\(answer.text)")
                return (answer.json.array ?? []).compactMap { $0["resourceLinkId"]?.text }
            }
            #expect(try await found("limit=9") == [given.task, second.task, plain.task])
            #expect(try await found("tag=final") == [given.task, second.task])
            #expect(try await found("resource_id=cells-1") == [given.task])
            #expect(try await found("resource_id=cells-1&tag=other") == [])
            #expect(try await found("tag=final&resource_link_id=\(plain.task)") == [])
            let item = try await school.asTool("\(lineItems(school))/\(given.task)", token: token)
            #expect(item.json["resourceId"] == "cells-1" && item.json["tag"] == "final")
            let bare = try await school.asTool("\(lineItems(school))/\(plain.task)", token: token)
            #expect(bare.json["resourceId"] == nil && bare.json["tag"] == nil)

            let copied = try await school.post(
                "/v1/handouts/\(given.handout)/copy", as: .tom, json: [:])
            #expect(copied.status == 201, "\(copied.text)")
            let task = copied.json["tasks"]?[0]
            #expect(task?["resourceId"] == "cells-1" && task?["tag"] == "final")
        }
    }

    @Test func `a tool reads its own tasks, and no other class`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let other = try await school.registerTool()
            let given = try await school.giveTool(tool, ["scoreMaximum": 20])
            let second = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let found = try await school.asTool(lineItems(school), token: token)
            #expect(
                found.header("Content-Type") == "application/vnd.ims.lis.v2.lineitemcontainer+json")
            let items = found.json.array ?? []
            #expect(items.compactMap { $0["resourceLinkId"]?.text } == [given.task, second.task])
            #expect(
                items[0]["scoreMaximum"]?.double == 20 && items[1]["scoreMaximum"]?.double == 100)
            let first = try await school.asTool("\(lineItems(school))/\(given.task)", token: token)
            #expect(first.json == items[0])
            #expect(items[0]["id"]?.text?.hasSuffix("\(lineItems(school))/\(given.task)") == true)
            let one = try await school.asTool(
                "\(lineItems(school))?resource_link_id=\(second.task)", token: token)
            #expect(one.json.array?.count == 1)
            for question in ["tag=x", "resource_id=x", "resource_link_id=x"] {
                let none = try await school.asTool(
                    "\(lineItems(school))?\(question)", token: token)
                #expect(none.json == [], "\(question)")
            }

            let stranger = try await school.toolToken(of: other, by: fake)
            for path in [
                lineItems(school), "\(lineItems(school))/\(given.task)", members(school),
                "\(lineItems(school))/\(given.task)/results",
            ] {
                #expect(try await school.asTool(path, token: token).status == 200, "\(path)")
                #expect(try await school.asTool(path, token: stranger).status == 404, "\(path)")
            }
            for group in [school.chemistry, TestIDs.elsewhereClass] {
                #expect(
                    try await school.asTool(lineItems(school, group), token: token).status == 404)
                #expect(try await school.asTool(members(school, group), token: token).status == 404)
            }
        }
    }

    @Test func `pages of line items lead on`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            var tasks: [String] = []
            for _ in 0..<3 { tasks.append(try await school.giveTool(tool).task) }
            let token = try await school.toolToken(of: tool, by: fake)
            var path: String? = "\(lineItems(school))?limit=2"
            var found: [String] = []
            while let next = path, found.count < 10 {
                let answer = try await school.asTool(next, token: token)
                found += (answer.json.array ?? []).compactMap { $0["resourceLinkId"]?.text }
                let link = answer.header("Link")?.split(separator: ">").first?.dropFirst()
                path = link.map { String($0.dropFirst(FakeTool.issuer.count)) }
            }
            #expect(found == tasks)
        }
    }

    @Test func `a draft and a handout that was deleted show nothing of their class`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            #expect(try await school.asTool(members(school), token: token).status == 200)
            try school.sql("update school.handout set publish_at = null")
            #expect(try await school.asTool(members(school), token: token).status == 404)
            try school.sql("update school.handout set publish_at = now() + interval '1 hour'")
            #expect(try await school.asTool(members(school), token: token).status == 404)
            try school.sql("update school.handout set publish_at = now(), deleted_at = now()")
            #expect(try await school.asTool(lineItems(school), token: token).status == 404)
            let late = try await school.score(["userId": "x"], at: given.task, token: token)
            #expect(late.status == 404)
        }
    }

    /// Tasks that were given before stay, but lead nowhere and show no one.
    @Test func `a tool that is limited to another location loses its classes at once`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool(["sharesNames": true])
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let opening = try await school.opening(given.task)
            let made = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "Annex", "sourceId": "annex"])
            let annex = try #require(made.json["id"]?.text)
            let path = "/v1/tools/\(tool.id)"
            let limited = try await school.patch(
                path, as: .ada, json: ["locationId": .text(annex)])
            #expect(limited.status == 200, "\(limited.text)")
            for call in [
                lineItems(school), "\(lineItems(school))/\(given.task)", members(school),
                "\(lineItems(school))/\(given.task)/results",
            ] {
                #expect(try await school.asTool(call, token: token).status == 404, "\(call)")
            }
            let late = try await school.score(["userId": "x"], at: given.task, token: token)
            #expect(late.status == 404)
            #expect(try await school.authorize(opening).code == "tool_launch_over")
            let anew = try await school.open(["taskId": .text(given.task)])
            #expect(anew.status == 409 && anew.code == "tool_removed")

            let lifted = try await school.patch(path, as: .ada, json: ["locationId": nil])
            #expect(lifted.status == 200, "\(lifted.text)")
            #expect(try await school.asTool(members(school), token: token).status == 200)
            #expect(try await school.opening(given.task).address.hasPrefix("https://"))
        }
    }

    @Test func `members are those who have the tool's tasks, and their teachers`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool, recipients: [.text("source:sis-sam")])
            let token = try await school.toolToken(of: tool, by: fake)
            let sam = try await school.launched(given.task, in: tool)["sub"]?.text
            let found = try await school.asTool(members(school), token: token)
            #expect(found.json["context"]?["title"] == "Biology")
            let all = found.json["members"]?.array ?? []
            let students = all.filter { $0["roles"]?[0]?.text?.hasSuffix("#Learner") == true }
            #expect(students.map { $0["user_id"]?.text } == [sam], "Sue does not have the task")
            #expect(all.count == 3, "Sam, Tom and Cora")
            #expect(!found.text.contains("Example") && !found.text.contains("Sam"))
            let learners = try await school.asTool("\(members(school))?role=Learner", token: token)
            #expect(learners.json["members"]?.array?.count == 1)
            let none = try await school.asTool("\(members(school))?role=Mentor", token: token)
            #expect(none.json["members"] == [])
            let link = try await school.asTool(
                "\(members(school))?rlid=\(given.task)&role=Instructor", token: token)
            #expect(link.json["members"]?.array?.count == 2)
            _ = try await school.patch(
                "/v1/tools/\(tool.id)", as: .ada, json: ["sharesNames": true])
            let named = try await school.asTool("\(members(school))?limit=1", token: token)
            #expect(named.text.contains("Example") && named.header("Link") != nil)
        }
    }

    @Test func `a tool's task is copied with what the tool is told, and figures stay apart`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool, ["custom": ["chapter": "3"]])
            let copy = try await school.post(
                "/v1/handouts/\(given.handout)/copy", as: .tom, json: [:])
            #expect(copy.status == 201, "\(copy.text)")
            let task = copy.json["tasks"]?[0]
            #expect(task?["kind"] == "tool" && task?["toolId"]?.text == tool.id)
            #expect(task?["toolName"] == "Quiz" && task?["custom"] == ["chapter": "3"])
            #expect(task?["id"]?.text != given.task && task?["bundleId"] == nil)
            let mine = try await school.get("/v1/me/assignments", as: .sam)
            #expect(mine.items.count == 1 && mine.items[0]["target"] == .null)
            #expect(mine.items[0]["task"]?["toolName"] == "Quiz")
            #expect(mine.items[0]["recording"]?["since"]?.text != nil)
        }
    }
}
