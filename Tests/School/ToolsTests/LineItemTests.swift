import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Line items that tools make: `POST /lti/classes/{classId}/line-items`, and `PUT` and `DELETE` of one.
@Suite struct LineItemsOfTools {
    @Test func `a tool makes, reads, changes and deletes a line item`() async throws {
        try await withGradedTask(["tag": "whole"]) { graded in
            let made = try await graded.ask(
                .post, graded.path,
                graded.item(["resourceId": "cells-1", "tag": "part", "https://other": true]))
            #expect(made.status == 201, "\(made.text)")
            #expect(made.header("Content-Type") == "application/vnd.ims.lis.v2.lineitem+json")
            let address = made.json["id"]?.text ?? ""
            let path = String(address.dropFirst(FakeTool.issuer.count))
            #expect(path.hasPrefix("\(graded.path)/") && made.header("Location") == path)
            #expect(made.json["label"] == "Chapter 1" && made.json["tag"] == "part")
            #expect(made.json["resourceId"] == "cells-1")
            #expect(made.json["resourceLinkId"]?.text == graded.task)
            #expect(made.json["scoreMaximum"]?.double == 5)
            #expect(try await graded.ask(.get, path).json == made.json)

            let all = try await graded.ask(.get, graded.path).json.array ?? []
            #expect(all.map { $0["label"]?.text } == ["Cells", "Chapter 1"])
            for (question, labels) in [
                ("resource_link_id=\(graded.task)", ["Cells", "Chapter 1"]),
                ("tag=part", ["Chapter 1"]),
                ("tag=whole", ["Cells"]), ("resource_id=cells-1", ["Chapter 1"]),
                ("resource_id=cells-1&tag=whole", []),
            ] as [(String, [String])] {
                let found = try await graded.ask(.get, "\(graded.path)?\(question)")
                #expect((found.json.array ?? []).map { $0["label"]?.text } == labels, "\(question)")
            }

            let body = graded.item(["label": "Chapter 2", "scoreMaximum": 8, "tag": ""])
            let changed = try await graded.ask(.put, path, body)
            #expect(changed.status == 200 && changed.json["label"] == "Chapter 2")
            #expect(changed.json["scoreMaximum"]?.double == 8 && changed.json["tag"] == nil)
            #expect(changed.json["id"]?.text == address)
            #expect(try await graded.ask(.delete, path).status == 204)
            for method in [HTTPMethod.get, .delete] {
                #expect(try await graded.ask(method, path).status == 404)
            }
            #expect(try await graded.ask(.put, path, body).status == 404)
            #expect(try await graded.ask(.get, graded.path).json.array?.count == 1)
        }
    }

    @Test func `pages lead through both kinds of line items`() async throws {
        try await withGradedTask { graded in
            let second = try await graded.school.giveTool(graded.tool)
            for label in ["A", "B", "C"] { _ = try await graded.make(["label": .text(label)]) }
            _ = try await graded.make(["resourceLinkId": .text(second.task), "label": "D"])
            var path: String? = "\(graded.path)?limit=2"
            var found: [String] = []
            while let next = path, found.count < 20 {
                let answer = try await graded.ask(.get, next)
                #expect((answer.json.array ?? []).count <= 2)
                found += (answer.json.array ?? []).compactMap { $0["label"]?.text }
                let link = answer.header("Link")?.split(separator: ">").first?.dropFirst()
                path = link.map { String($0.dropFirst(FakeTool.issuer.count)) }
            }
            let all = try await graded.ask(.get, graded.path).json.array ?? []
            #expect(found == all.compactMap { $0["label"]?.text })
            #expect(found.sorted() == ["A", "B", "C", "Cells", "Cells", "D"])
        }
    }

    @Test func `the same again is the line item that there is, also at once`() async throws {
        try await withGradedTask { graded in
            let body = graded.item()
            async let first = graded.ask(.post, graded.path, body)
            async let second = graded.ask(.post, graded.path, body)
            let answers = try await [first, second]
            #expect(answers.map(\.status).sorted() == [200, 201])
            #expect(answers[0].json == answers[1].json)
            #expect(try await graded.ask(.post, graded.path, body).json == answers[0].json)
            let other = try await graded.make(["tag": "x"])
            #expect(try await graded.ask(.delete, "\(graded.path)/\(other)").status == 204)
            let anew = try await graded.make(["tag": "x"])
            #expect(anew != other, "one that was deleted does not come back")
        }
    }

    @Test func `a line item without a task of the tool in the class is refused`() async throws {
        try await withGradedTask { graded in
            let school = graded.school
            let other = try await school.registerTool()
            let foreign = try await school.giveTool(other)
            for link in [nil, "", .text(foreign.task), "quiz-7", .text(graded.tool.id)]
                as [JSONValue]
            {
                let answer = try await graded.ask(
                    .post, graded.path, graded.item(["resourceLinkId": link]))
                #expect(answer.status == 422, "\(link)")
                #expect(answer.pointers == ["/resourceLinkId"], "\(link)")
            }
            let elsewhere = "/lti/classes/\(school.chemistry.uuid)/line-items"
            #expect(try await graded.ask(.post, elsewhere, graded.item()).status == 404)
            try school.sql("update school.handout set deleted_at = now()")
            #expect(try await graded.ask(.post, graded.path, graded.item()).status == 404)
            #expect(try school.sql("select from school.tool_line_item").isEmpty)
        }
    }

    @Test(
        arguments: [
            ("label", nil), ("label", ""), ("label", " \t"), ("label", 7), ("label", "a\u{1}b"),
            ("label", .text(String(repeating: "x", count: 257))), ("scoreMaximum", nil),
            ("scoreMaximum", 0), ("scoreMaximum", -1), ("scoreMaximum", 1e13),
            ("scoreMaximum", "5"), ("tag", 7), ("tag", "\u{7}"), ("resourceId", ["x"]),
            ("resourceId", .text(String(repeating: "x", count: 257))), ("resourceLinkId", 7),
        ] as [(String, JSONValue)])
    func `a line item that cannot be read names its place, and changes nothing`(
        field: String, value: JSONValue
    ) async throws {
        try await withGradedTask { graded in
            let refused = try await graded.ask(.post, graded.path, graded.item([field: value]))
            #expect(refused.status == 422 && refused.pointers == ["/\(field)"], "\(refused.text)")
            #expect(try graded.school.sql("select from school.tool_line_item").isEmpty)
            let path = "\(graded.path)/\(try await graded.make())"
            let before = try await graded.ask(.get, path).json
            let kept = try await graded.ask(.put, path, graded.item([field: value]))
            #expect(kept.status == 422 && kept.pointers == ["/\(field)"], "\(kept.text)")
            #expect(try await graded.ask(.get, path).json == before)
        }
    }

    @Test func `the line item that is the task itself stays as it is`() async throws {
        try await withGradedTask { graded in
            let path = "\(graded.path)/\(graded.task)"
            let before = try await graded.ask(.get, path).json
            for answer in [
                try await graded.ask(.put, path, graded.item(["label": "Mine"])),
                try await graded.ask(.delete, path),
            ] {
                #expect(answer.status == 403 && answer.code == "line_item_of_task")
            }
            #expect(try await graded.ask(.get, path).json == before)
            let made = "\(graded.path)/\(try await graded.make())"
            let second = try await graded.school.giveTool(graded.tool)
            let moved = try await graded.ask(
                .put, made, graded.item(["resourceLinkId": .text(second.task)]))
            #expect(moved.status == 422 && moved.pointers == ["/resourceLinkId"])
            let alone = try await graded.ask(.put, made, graded.item(["resourceLinkId": nil]))
            #expect(alone.status == 200 && alone.json["resourceLinkId"]?.text == graded.task)
        }
    }

    @Test func `another tool and another scope get nowhere`() async throws {
        try await withGradedTask { graded in
            let school = graded.school
            let path = "\(graded.path)/\(try await graded.make())"
            #expect(try await graded.ask(.get, path).status == 200)
            let other = try await school.registerTool()
            _ = try await school.giveTool(other)
            let stranger = try await school.toolToken(of: other, by: graded.fake)
            let body = graded.item(["label": "Theirs"])
            let score = try await school.score(
                ["userId": "x"], at: String(path.dropFirst(graded.path.count + 1)), token: stranger)
            for answer in [
                try await graded.ask(.get, path, token: stranger),
                try await graded.ask(.put, path, body, token: stranger),
                try await graded.ask(.delete, path, token: stranger), score,
                try await graded.ask(.get, "\(path)/results", token: stranger),
            ] {
                #expect(answer.status == 404, "\(answer.text)")
            }
            let listed = try await graded.ask(.get, graded.path, token: stranger)
            #expect(listed.json.array?.count == 1, "their own task")

            let ags = "https://purl.imsglobal.org/spec/lti-ags/scope/"
            let reader = try await school.toolToken(
                of: graded.tool, by: graded.fake, scopes: ["\(ags)lineitem.readonly"])
            #expect(try await graded.ask(.get, path, token: reader).status == 200)
            for answer in [
                try await graded.ask(.post, graded.path, body, token: reader),
                try await graded.ask(.put, path, body, token: reader),
                try await graded.ask(.delete, path, token: reader),
            ] {
                #expect(answer.status == 403)
            }
            let writer = try await school.toolToken(
                of: graded.tool, by: graded.fake, scopes: ["\(ags)lineitem"])
            #expect(try await graded.ask(.get, graded.path, token: writer).status == 200)
            #expect(try await graded.ask(.delete, path, token: writer).status == 204)
        }
    }

    @Test func `a task has a hundred at most, and a thousand with those that were deleted`()
        async throws
    {
        try await withGradedTask { graded in
            let school = graded.school
            let task = try #require(UUID(graded.task))
            func fill(_ count: Int32, isDeleted: Bool) throws {
                try school.sql(
                    """
                    insert into school.tool_line_item (organization_id, line_item_id, task_id, label, score_maximum,
                                                       deleted_at)
                    select t.organization_id, gen_random_uuid(), t.task_id, 'Item ' || n, 1,
                           case when \(isDeleted) then now() end
                      from school.task as t, generate_series(1, \(count)) as n where t.task_id = \(task)
                    """)
            }
            try fill(99, isDeleted: false)
            let last = try await graded.make()
            let full = try await graded.ask(.post, graded.path, graded.item(["tag": "x"]))
            #expect(full.status == 409 && full.code == "too_many_line_items")
            #expect(try await graded.ask(.post, graded.path, graded.item()).status == 200)
            #expect(try await graded.ask(.delete, "\(graded.path)/\(last)").status == 204)
            try fill(898, isDeleted: true)
            _ = try await graded.make(["tag": "y"])
            try school.sql("update school.tool_line_item set deleted_at = now()")
            let over = try await graded.ask(.post, graded.path, graded.item(["tag": "z"]))
            #expect(over.status == 201, "the thousandth")
            let after = try await graded.ask(.post, graded.path, graded.item(["tag": "w"]))
            #expect(after.status == 409 && after.code == "too_many_line_items")
        }
    }

    @Test func `a launch names the line item only while the task has no other`() async throws {
        try await withGradedTask { graded in
            let claim = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
            func named() async throws -> JSONValue? {
                let claims = try await graded.school.launched(graded.task, in: graded.tool)
                #expect(claims[claim]?["lineitems"]?.text?.hasSuffix(graded.path) == true)
                return claims[claim]?["lineitem"]
            }
            #expect(try await named()?.text?.hasSuffix(graded.task) == true)
            let made = try await graded.make()
            #expect(try await named() == nil)
            #expect(try await graded.ask(.delete, "\(graded.path)/\(made)").status == 204)
            #expect(try await named()?.text?.hasSuffix(graded.task) == true)
        }
    }

    @Test func `line items go with their task`() async throws {
        try await withGradedTask { graded in
            _ = try await graded.make()
            let answer = try await graded.school.patch(
                "/v1/handouts/\(graded.handout)", as: .tom,
                json: ["tasks": [["kind": "link", "title": "Read", "url": "https://a.example/"]]])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try graded.school.sql("select from school.tool_line_item").isEmpty)
        }
    }
}
