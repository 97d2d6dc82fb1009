import JSONBytes
import Testing

@testable import Pages

@Suite struct Publishing {
    private static let call = "PUT /v1/handouts/h1/publication"

    /// - Parameter due: before or after the clock of the tests, which stands at 10:00 on 22 November 2026.
    private func browser(
        state: String = "draft", publishAt: JSONValue = nil, due: JSONValue = nil,
        chosen: Bool = true
    ) throws -> Browser {
        var handout = try #require(
            TeacherBrowser.handout(state: state, publishAt: publishAt).object)
        handout["dueAt"] = due
        if !chosen { handout["recipients"] = "class" }
        return TeacherBrowser.make([
            Self.call: (200, ["id": "h1"]), "GET /v1/handouts/h1": (200, .object(handout)),
        ])
    }

    @Test func `a handout is published now`() async throws {
        let browser = try browser()
        let page = try await browser.get("/handouts/h1/publish")
        #expect(page.text.contains("2 tasks") && page.text.contains("For 1 chosen student"))
        #expect(page.text.contains(">Publish now for 1 student</button>"))
        #expect(!page.text.contains("type=\"radio\""), "nothing that could overrule the fields")
        let done = try await browser.post(
            "/handouts/h1/publish", [("does", "now"), ("tag", "\"3\"")])
        #expect(done.status == 303 && done.location == "/classes/c1")
        #expect(browser.api.body(of: Self.call)?.isNull == true)
        #expect(browser.api.calls.last { $0.line.hasSuffix("publication") }?.match == "\"3\"")
    }

    @Test func `the button says for whom`() async throws {
        let page = try await browser(chosen: false).get("/handouts/h1/publish")
        #expect(page.text.contains(">Publish now</button>"))
        #expect(page.text.contains("data-later=\"Schedule for {when}\""))
    }

    @Test func `a handout is published later, at a time that is still to come`() async throws {
        let browser = try browser(state: "scheduled", publishAt: "2026-11-30T08:00:00.000Z")
        let page = try await browser.get("/handouts/h1/publish")
        #expect(page.text.contains("value=\"2026-11-30\"") && page.text.contains("value=\"08:00\""))
        #expect(page.text.contains(">Schedule for Mon 30 Nov, 8:00, for 1 student</button>"))
        for (date, time, words) in [
            ("", "10:00", "Enter a day and a time"), ("2026-11-23", "", "Enter a day and a time"),
            ("2026-11-23", "noon", "Enter a day and a time"),
            ("2026-11-22", "10:00", "Choose a time that is still to come"),
        ] {
            let wrong = try await browser.post(
                "/handouts/h1/publish",
                [("does", "\(date) \(time)"), ("date", date), ("time", time)])
            #expect(wrong.status == 422 && wrong.text.contains(words))
        }
        let done = try await browser.post(
            "/handouts/h1/publish",
            [("does", "2026-11-22 10:01"), ("date", "2026-11-22"), ("time", "10:01")])
        #expect(done.status == 303)
        #expect(
            browser.api.body(of: Self.call) == ["publishAt": "2026-11-22T10:01:00.000Z"])
    }

    @Test(arguments: ["now", "", "2026-11-29 08:00"])
    func `a day that the button did not promise is asked about`(promise: String) async throws {
        let browser = try browser(chosen: false)
        let typed = [("date", "2026-11-30"), ("time", "08:00")]
        _ = try await browser.get("/handouts/h1/publish")
        let asked = try await browser.post("/handouts/h1/publish", [("does", promise)] + typed)
        #expect(asked.status == 422 && asked.text.contains("Now, or at the time you entered?"))
        #expect(asked.text.contains(">Schedule for Mon 30 Nov, 8:00</button>"))
        #expect(asked.text.contains("value=\"now, not 2026-11-30 08:00\">Publish now</button>"))
        #expect(!browser.api.lines.contains(Self.call))
        let later = try await browser.post(
            "/handouts/h1/publish", [("does", "2026-11-30 08:00")] + typed)
        #expect(later.status == 303)
        #expect(
            browser.api.body(of: Self.call) == ["publishAt": "2026-11-30T08:00:00.000Z"])
        let now = try await browser.post(
            "/handouts/h1/publish", [("does", "now, not 2026-11-30 08:00")] + typed)
        #expect(now.status == 303 && browser.api.body(of: Self.call)?.isNull == true)
    }

    @Test func `a day that was taken out again is asked about`() async throws {
        let browser = try browser()
        _ = try await browser.get("/handouts/h1/publish")
        let asked = try await browser.post(
            "/handouts/h1/publish", [("does", "2026-11-30 08:00"), ("date", ""), ("time", "")])
        #expect(asked.status == 422 && asked.text.contains(">Publish now for 1 student</button>"))
        #expect(!browser.api.lines.contains(Self.call))
    }

    @Test(arguments: [
        ("2026-11-22T09:00:00.000Z", "", "", "Due in the past?", "2026-11-22T09:00:00.000Z/now"),
        (
            "2026-11-29T08:00:00.000Z", "2026-11-30", "08:00", "Due before it appears?",
            "2026-11-29T08:00:00.000Z/2026-11-30T08:00:00.000Z"
        ),
    ])
    func `a due time that is over by then is asked about once`(
        due: String, date: String, time: String, title: String, answer: String
    ) async throws {
        let browser = try browser(due: .text(due))
        let typed = [
            ("does", date.isEmpty ? "now" : "\(date) \(time)"), ("date", date), ("time", time),
        ]
        _ = try await browser.get("/handouts/h1/publish")
        let asked = try await browser.post("/handouts/h1/publish", typed)
        #expect(asked.status == 422 && asked.text.contains(title))
        #expect(asked.text.contains(">Publish anyway</button>"))
        #expect(asked.text.contains("name=\"anyway\" value=\"\(answer)\""))
        #expect(!browser.api.lines.contains(Self.call))
        let other = try await browser.post("/handouts/h1/publish", typed + [("anyway", "x/now")])
        #expect(other.status == 422, "the answer was about another time")
        let done = try await browser.post("/handouts/h1/publish", typed + [("anyway", answer)])
        #expect(done.status == 303 && browser.api.lines.contains(Self.call))
    }
}
