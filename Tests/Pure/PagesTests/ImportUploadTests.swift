import HTTPServer
import HTTPWire
import JSONBytes
import Synchronization
import Testing
import Values

@testable import Pages

/// An archive on its way from a browser through the page into the API.
@Suite struct ImportUploads {
    private static let boundary = "----form-7"

    private func browser(_ answer: FakeAPI.Answer? = nil) -> Browser {
        AdministratorsPages.browser([
            "POST /v1/imports": answer ?? (202, ["id": "i9", "status": "queued"])
        ])
    }

    private static func head(token: String, name: String) -> [UInt8] {
        Array(
            ("--\(boundary)\r\nContent-Disposition: form-data; name=\"formToken\"\r\n\r\n"
                + "\(token)\r\n--\(boundary)\r\n"
                + "Content-Disposition: form-data; name=\"archive\"; filename=\"\(name)\"\r\n"
                + "Content-Type: application/x-zip-compressed\r\n\r\n").utf8)
    }

    private static let foot = Array("\r\n--\(boundary)--\r\n".utf8)

    private static let type = (
        name: "Content-Type", value: "multipart/form-data; boundary=\(boundary)"
    )

    private func upload(
        _ bytes: [UInt8], as name: String, token: String? = nil, to browser: Browser
    ) async throws -> Browser.Shown {
        let form = try await browser.get("/imports/new")
        #expect(form.text.contains("enctype=\"multipart/form-data\""))
        let token = token ?? browser.lastFormToken ?? ""
        return try await browser.send(
            .post, "/imports/new", [Self.type],
            Self.head(token: token, name: name) + bytes + Self.foot)
    }

    private static let archive = Array("PK\u{3}\u{4} and \r\n--the rest".utf8)

    @Test func `an archive is passed on as it is, to be previewed`() async throws {
        let browser = browser()
        let sent = try await upload(Self.archive, as: "C:\\files\\Schüler <27>.zip", to: browser)
        #expect(sent.status == 303 && sent.location == "/imports/i9")
        let call = try #require(browser.api.calls.last { $0.line == "POST /v1/imports" })
        #expect(call.bytes == Self.archive && call.type == "application/zip")
        #expect(call.query == "mode=preview&fileName=Schüler <27>.zip")
        #expect(call.token == FakeAPI.token)
    }

    @Test func `each format has a template and an example to download`() async throws {
        let browser = AdministratorsPages.browser(
            [:], tables: ["GET /v1/import-templates": "PK"])
        let page = try await browser.get("/imports/new")
        for format in ["appleCSV", "oneRoster-1.1", "oneRoster-1.2"] {
            let path = "/imports/new/archive?format=\(format)"
            #expect(page.text.contains("href=\"\(path)\""), "\(format)")
            #expect(page.text.contains("href=\"\(path)&amp;example=true\""), "\(format)")
        }
        #expect(page.text.contains("aria-label=\"OneRoster 1.2: Small example\""))
        let file = try await browser.get("/imports/new/archive?format=appleCSV&example=true")
        #expect(file.status == 200 && file.text == "PK")
        #expect(
            browser.api.queries("GET /v1/import-templates") == ["format=appleCSV&example=true"])
    }

    @Test(arguments: [
        ("", "", "Choose a file"), ("name,role\r\n", "people.csv", "This is not a zip file."),
        ("PK", "short.zip", "This is not a zip file."),
    ])
    func `what is no archive is refused before it is sent on`(
        content: String, name: String, problem: String
    ) async throws {
        let browser = browser()
        let refused = try await upload(Array(content.utf8), as: name, to: browser)
        #expect(refused.status == 422 && refused.text.contains("<a href=\"#archive\">\(problem)"))
        #expect(!browser.api.lines.contains("POST /v1/imports"))
    }

    @Test(arguments: [
        (413, "body_too_large", "larger than 1 GiB"),
        (429, "too_many_imports", "Too many imports are waiting"),
    ])
    func `a refusal is explained at the field`(
        status: Int, code: String, words: String
    ) async throws {
        let browser = browser(FakeAPI.problem(status, code))
        let refused = try await upload(Self.archive, as: "a.zip", to: browser)
        #expect(refused.status == status && refused.text.contains(words))
        #expect(refused.text.contains("<title>Error: Upload an archive"))
    }

    @Test func `a form without its token is not received`() async throws {
        let browser = browser()
        let refused = try await upload(Self.archive, as: "a.zip", token: "forged", to: browser)
        #expect(refused.status == 403)
        #expect(!browser.api.lines.contains("POST /v1/imports"))
    }

    @Test func `who does not run the directory is offered no upload`() async throws {
        let browser = AdministratorsPages.browser([:], as: "contentManager")
        #expect(!(try await browser.get("/school").text.contains("/imports")))
    }

    @Test func `the archive passes through without being held in memory`() async throws {
        let state = Mutex((given: 0, whenAsked: -1, received: 0))
        let pieces = 200
        let pages = Pages(firstNumber: 1, clock: Clock { Timestamp("2026-11-22T10:00:00Z")! }) {
            http in
            guard http.method == .post, http.segments == ["v1", "imports"] else {
                let me = FakeAPI.me(standings: ["administrator"])
                return HTTPResponse(status: 200, type: "application/json", bytes: me.bytes)
            }
            http.body.limits.maximumBytes = 1 << 30
            while let piece = try? await http.body.next() {
                state.withLock { state in
                    if state.whenAsked < 0 { state.whenAsked = state.given }
                    state.received += piece.count
                }
            }
            let answer: JSONValue = ["id": "i9", "status": "queued"]
            return HTTPResponse(status: 202, type: "application/json", bytes: answer.bytes)
        }
        let token = FormKey(secret: FakeAPI.token).token()
        let request = try HTTPRequest(
            method: .post, target: "/imports/new",
            headers: [Self.type, (name: "Cookie", value: "homeroom=\(FakeAPI.token)")],
            source: {
                let number = state.withLock { state in
                    state.given += 1
                    return state.given
                }
                if number == 1 { return Self.head(token: token, name: "a.zip") + Self.archive }
                if number == pieces { return Self.foot }
                return number < pieces ? [UInt8](repeating: 7, count: 65_536) : nil
            }, requestID: "r1", clientAddress: "192.0.2.7", isSecure: false)
        let answer = await pages.answer(request)
        #expect(answer.status == 303)
        let found = state.withLock { $0 }
        #expect(found.received == Self.archive.count + (pieces - 2) * 65_536)
        #expect(found.whenAsked <= 3, "\(found.whenAsked) pieces were taken before any was wanted")
    }
}
