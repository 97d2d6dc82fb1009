import Archive
import HTTPServer
import JSONBytes
import Testing

@testable import Pages

/// A report page follows its report, and pages are compressed.
@Suite struct LivePages {
    private static let events = "GET /v1/handouts/h1/report/events"

    private func browser(_ answers: [String: FakeAPI.Answer] = [:]) -> Browser {
        var report = MadeUpReport.report
        report["position"] = "p <1>"
        let live: [String: FakeAPI.Answer] = ["GET /v1/handouts/h1/report": (200, .object(report))]
        return teacherBrowser(
            MadeUpReport.answers.merging(live) { _, new in new }
                .merging(answers) { _, new in new })
    }

    @Test func `the page says where to hear of changes after what it shows`() async throws {
        let page = try await browser().get("/handouts/h1?show=late")
        #expect(
            page.text.contains("data-live=\"/handouts/h1/report/events?after=p%20%3C1%3E\""))
        #expect(page.text.contains("data-ended=\"Live updates have stopped.\""))
        for part in ["notes", "spreads", "tallies", "updated", "choice", "grid"] {
            #expect(page.text.contains("data-part=\"\(part)\""), "\(part)")
        }
        #expect(page.text.contains("href=\"/handouts/h1?show=late\">Reload</a>"))
        #expect(page.header("Content-Security-Policy")?.contains("connect-src 'self'") == true)
    }

    @Test func `a report that cannot be followed says nothing about it`() async throws {
        let page = try await teacherBrowser(MadeUpReport.answers).get("/handouts/h1")
        #expect(!page.text.contains("data-live"))
    }

    @Test func `events of the API pass through, and the browser says where it was`() async throws {
        let browser = browser()
        browser.api.set(Self.events, text: "id: p2\n\n")
        let events = try await browser.get(
            "/handouts/h1/report/events?after=p%20%3C1%3E",
            [(name: "Last-Event-ID", value: "p 1.5")])
        #expect(events.status == 200 && events.text == "id: p2\n\n")
        let call = try #require(browser.api.calls.first { $0.line == Self.events })
        #expect(call.query == "after=p <1>" && call.lastEventID == "p 1.5")
        #expect(call.token == FakeAPI.token)
    }

    @Test(arguments: [403, 404, 429, 503])
    func `what the API refuses is refused`(status: Int) async throws {
        let browser = browser([Self.events: FakeAPI.problem(status, "refused")])
        #expect(try await browser.get("/handouts/h1/report/events").status == status)
    }

    @Test func `a script that nobody is signed in for is not led to the sign-in page`() async throws
    {
        let events = try await Browser().get("/handouts/h1/report/events")
        #expect(events.status == 403 && events.location == nil)
    }

    @Test func `an open page that updates itself does not keep the session alive`() async throws {
        let browser = browser()
        browser.api.set(Self.events, text: "")
        _ = try await browser.get("/handouts/h1/report/events")
        _ = try await browser.get("/handouts/h1", [(name: "Homeroom-Refresh", value: "yes")])
        #expect(!browser.api.lines.contains("POST /v1/me/session/renewal"))
        _ = try await browser.get("/handouts/h1")
        #expect(browser.api.lines.contains("POST /v1/me/session/renewal"))
    }

    // MARK: Compression

    private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
        var rest = bytes
        let reader = GzipReader {
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
        var content: [UInt8] = []
        while let piece = try reader.next() { content += piece }
        return content
    }

    private static let gzip = [(name: "Accept-Encoding", value: "br, gzip;q=0.8")]

    @Test func `a page is compressed for a browser that takes that`() async throws {
        let browser = browser()
        let plain = try await browser.get("/handouts/h1")
        let packed = try await browser.get("/handouts/h1", Self.gzip)
        #expect(plain.header("Content-Encoding") == nil)
        #expect(packed.header("Content-Encoding") == "gzip")
        for page in [plain, packed] { #expect(page.header("Vary") == "Accept-Encoding") }
        #expect(packed.bytes.count * 3 < plain.bytes.count)
        let text = String(decoding: try unpacked(packed.bytes), as: UTF8.self)
        #expect(text.contains("Ada Abel") && text.utf8.count == plain.bytes.count)
        let refused = try await browser.get(
            "/handouts/h1", [(name: "Accept-Encoding", value: "gzip;q=0")])
        #expect(refused.header("Content-Encoding") == nil)
    }

    @Test func `compressed pages differ each time in the one secret that they hold`() async throws {
        let browser = browser()
        var tokens: Set<String> = []
        for _ in 0..<3 {
            _ = try await browser.get("/handouts/h1")
            tokens.insert(try #require(browser.lastFormToken))
        }
        #expect(tokens.count == 3)
    }

    @Test func `files are compressed, and the same without that`() async throws {
        let browser = Browser()
        for path in [Assets.shared.style.text, Assets.shared.script.text] {
            let plain = try await browser.get(path)
            let packed = try await browser.get(path, Self.gzip)
            #expect(packed.header("Content-Encoding") == "gzip")
            #expect(packed.header("Vary") == "Accept-Encoding")
            #expect(try unpacked(packed.bytes) == plain.bytes)
            #expect(packed.bytes.count < plain.bytes.count / 2)
        }
    }
}
