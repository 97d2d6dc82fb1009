import JSONBytes
import Testing

@testable import Pages

/// What students and teachers write to each other about a handout, on the pages of both.
@Suite struct TalkScreens {
    /// Whose pages show it.
    enum Reader: CaseIterable {
        case student, teacher

        var page: String {
            self == .student ? "/my-work/h1" : "/handouts/h1/students/ada"
        }

        var call: String {
            "/v1/handouts/h1/students/\(self == .student ? "p1" : "ada")/comments"
        }

        func browser(_ comments: [JSONValue]) -> Browser {
            let answers: [String: FakeAPI.Answer] = [
                "GET \(call)": (200, ["items": .array(comments)]),
                "POST \(call)": (201, ["id": "k9"]), "PUT \(call)/seen": (204, .null),
                "DELETE \(call)/k2": (204, .null),
            ]
            guard self == .teacher else { return StudentAnswers.browser(answers) }
            var all = MadeUpReport.answers
            all["GET /v1/handouts/h1/students/ada"] = (
                200,
                [
                    "student": ["personId": "ada", "givenName": "Ada", "familyName": "Abel"],
                    "tasks": [],
                ]
            )
            return teacherBrowser(all.merging(answers) { $1 })
        }
    }

    private static let talk: [JSONValue] = [
        comment("k1", "Inside <too>?\nOr not?", isOwn: false, isNew: true),
        comment("k2", "Outside is enough.", isOwn: true),
        comment("k3", nil, isOwn: false), comment("k4", "Thank you", isOwn: false, isNew: true),
    ]

    private static func comment(
        _ id: String, _ text: String?, isOwn: Bool, isNew: Bool = false
    ) -> JSONValue {
        [
            "id": .text(id), "by": "student", "own": .bool(isOwn), "new": .bool(isNew),
            "author": id == "k4" ? .null : ["givenName": "Uli", "familyName": "<Both>"],
            "text": text.map { .text($0) } ?? .null, "createdAt": "2026-11-21T08:00:00.000Z",
        ]
    }

    @Test(arguments: Reader.allCases)
    func `the talk is shown to both, and looking marks nothing as read`(reader: Reader)
        async throws
    {
        let browser = reader.browser(Self.talk)
        let page = try await browser.get(reader.page)
        #expect(page.status == 200)
        #expect(page.text.contains("<p dir=\"auto\">Inside &lt;too&gt;?<br>Or not?</p>"))
        #expect(page.text.contains("<bdi>Uli &lt;Both&gt;</bdi>, Sat 21 Nov, 8:00"))
        #expect(page.text.contains("You, Sat 21 Nov, 8:00"))
        #expect(page.text.contains("A teacher, Sat 21 Nov, 8:00"), "erased since")
        #expect(page.text.contains("This comment was removed by its author."))
        #expect(page.text.contains("2 new comments"))
        #expect(page.text.ranges(of: "/removal\"").count == 1, "one's own alone")
        #expect(browser.api.lines.allSatisfy { $0.hasPrefix("GET ") || $0.contains("session") })
        let quiet = try await reader.browser([]).get(reader.page)
        #expect(quiet.text.contains("Nobody has written anything yet."))
        #expect(!quiet.text.contains("comments/seen"))
    }

    @Test(arguments: Reader.allCases)
    func `an answer is sent, and what the page showed is read up to its last comment`(
        reader: Reader
    ) async throws {
        let browser = reader.browser(Self.talk)
        let page = try await browser.get(reader.page)
        let form = try #require(SentForm(page.text, action: "\(reader.page)/comments"))
        let sent = try await browser.send(
            form.with("say", " Like\r\nthis. "), to: "\(reader.page)/comments")
        #expect(sent.status == 303 && sent.location == reader.page)
        let calls = browser.api.calls
        #expect(
            calls.last { $0.line == "POST \(reader.call)" }?.body == ["text": "Like\nthis."])
        #expect(
            calls.last { $0.line == "PUT \(reader.call)/seen" }?.body == ["commentId": "k4"])
        let read = try #require(SentForm(page.text, action: "\(reader.page)/comments/seen"))
        let seen = try await browser.send(read, to: "\(reader.page)/comments/seen")
        #expect(seen.location == reader.page)
        #expect(browser.api.lines.filter { $0 == "PUT \(reader.call)/seen" }.count == 2)
        let path = "\(reader.page)/comments/k2/removal"
        let remove = try #require(SentForm(page.text, action: path))
        #expect(try await browser.send(remove, to: path).location == reader.page)
        #expect(browser.api.lines.contains("DELETE \(reader.call)/k2"))
    }

    @Test(arguments: Reader.allCases)
    func `what was typed is kept where it cannot be sent`(reader: Reader) async throws {
        let browser = reader.browser(Self.talk)
        let page = try await browser.get(reader.page)
        let form = try #require(SentForm(page.text, action: "\(reader.page)/comments"))
        let empty = try await browser.send(
            form.with("say", "  "), to: "\(reader.page)/comments")
        #expect(empty.status == 422 && empty.text.contains("Write something first"))
        browser.api.set("POST \(reader.call)", FakeAPI.problem(409, "class_archived"))
        let closed = try await browser.send(
            form.with("say", "Still <here>"), to: "\(reader.page)/comments")
        #expect(closed.status == 422 && closed.text.contains("Still &lt;here&gt;"))
        #expect(!browser.api.lines.contains("PUT \(reader.call)/seen"))
    }

    @Test func `a list of work says what is new, also of what is done`() async throws {
        func assignment(_ id: String, done: JSONValue, new: Int64) -> JSONValue {
            [
                "id": .text(id), "doneAt": done,
                "handout": [
                    "id": .text("h" + id), "title": .text("Work " + id), "classId": "c1",
                    "className": "Biology", "newComments": .number(JSONNumber(new)),
                ],
            ]
        }
        let browser = StudentAnswers.browser([
            "GET /v1/me/assignments": (
                200,
                [
                    "items": [
                        assignment("1", done: .null, new: 0),
                        assignment("2", done: "2026-11-20T08:00:00.000Z", new: 1),
                    ]
                ]
            )
        ])
        let page = try await browser.get("/my-work")
        #expect(page.text.contains("1 new comment<"))
        #expect(page.text.contains("<details class=\"fold\" open>"))
    }
}
