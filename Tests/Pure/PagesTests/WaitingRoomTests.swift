import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Synchronization
import Testing
import Values
import WaitKit

@testable import Pages

/// "About 40 seconds. Stay here."
@Suite struct WaitingRooms {
    @Test func `a short wait needs no page`() async throws {
        let room = try Room(seconds: 3)
        defer { room.loop.stop() }
        let answer = room.send(password: "Secret-2026")
        try await eventually { room.isAsked }
        await room.loop.advance(milliseconds: 60_000)
        room.answer(with: 200)
        let shown = try await answer.value
        #expect(shown.status == 303 && shown.location == "/my-work")
        #expect(shown.text.isEmpty)
    }

    @Test(arguments: Language.allCases)
    func `a long wait says how long in every language, and leads on by itself`(
        language: Language
    ) async throws {
        let room = try Room(seconds: 38, language: language)
        defer { room.loop.stop() }
        let answer = room.send(password: "Secret-2026")
        try await eventually { room.isAsked }
        await room.loop.advance(milliseconds: 1000)
        room.seconds = 31
        await room.loop.advance(milliseconds: 5000)
        room.answer(with: 200)
        let shown = try await answer.value
        let texts = Texts(language)
        #expect(shown.status == 200 && shown.header("x-accel-buffering") == "no")
        #expect(shown.header("set-cookie")?.contains(FakeAPI.token) != true)
        #expect(shown.text.contains("<h1>\(texts(WaitingText.title))</h1>"))
        let first = try #require(
            shown.text.firstRange(of: texts(WaitingText.seconds, count: 40)))
        let second = try #require(
            shown.text.firstRange(of: texts(WaitingText.seconds, count: 35)))
        #expect(first.upperBound < second.lowerBound)
        #expect(!shown.text.contains("Secret-2026") && !shown.text.contains(FakeAPI.token))
        #expect(!shown.text.contains(texts(ErrorText.tooManyTitle)))
        #expect(shown.text.hasSuffix("</html>"))
        let next = try #require(
            shown.text.firstMatch(of: /<meta http-equiv="refresh" content="0;url=([^"]+)">/)?.1)
        let entered = try await room.get(String(next))
        #expect(entered.status == 303 && entered.location == "/my-work")
        let cookies = entered.headers.filter { $0.name == "Set-Cookie" }.map(\.value)
        #expect(cookies.contains { $0.hasPrefix("homeroom=\(FakeAPI.token).kept;") })
        #expect(cookies.contains { $0.hasPrefix("homeroom-device=") })
    }

    @Test func `the way on is closed to other browsers, and after a while`() async throws {
        let room = try Room(seconds: 38)
        defer { room.loop.stop() }
        let answer = room.send(password: "Secret-2026")
        try await eventually { room.isAsked }
        await room.loop.advance(milliseconds: 1000)
        room.answer(with: 200)
        let next = try #require(
            try await answer.value.text.firstMatch(of: /content="0;url=([^"]+)"/)?.1)
        for cookies in ["", Room.cookies.replacing("typed-secret", with: "other-secret")] {
            let elsewhere = try await room.get(String(next), cookies: cookies)
            #expect(elsewhere.status == 303 && elsewhere.location == "/sign-in")
            #expect(!elsewhere.headers.contains { $0.value.contains(FakeAPI.token) })
        }
        room.clock.advance(16 * 60)
        #expect(try await room.get(String(next)).location == "/sign-in")
        #expect(try await room.get("/sign-in/entered").location == "/sign-in")
    }

    @Test func `a wrong password is said in the page that waited`() async throws {
        let room = try Room(seconds: 200)
        defer { room.loop.stop() }
        let answer = room.send(password: "Wrong-2026")
        try await eventually { room.isAsked }
        await room.loop.advance(milliseconds: 1000)
        room.answer(with: 401)
        let shown = try await answer.value
        let time = try #require(shown.text.firstRange(of: "About 4 minutes. Stay here."))
        let problem = try #require(
            shown.text.firstRange(of: "The managed ID or the password is wrong"))
        #expect(time.upperBound < problem.lowerBound)
        #expect(shown.text.contains("value=\"mira@harbour.example\""))
        #expect(!shown.text.contains("Wrong-2026") && !shown.text.contains("http-equiv"))
    }

    @Test func `who cannot wait so long is told when to come back, and blamed for nothing`()
        async throws
    {
        let room = try Room(seconds: 1)
        defer { room.loop.stop() }
        let answer = room.send(password: "Secret-2026")
        try await eventually { room.isAsked }
        room.answer(with: 503)
        let shown = try await answer.value
        #expect(shown.status == 503 && shown.header("retry-after") == "90")
        #expect(
            shown.text.contains("Many people are signing in right now. Try again in 2 minutes."))
        #expect(!shown.text.contains("Too many"))
    }

    @Test func `who leaves gives up the place`() async throws {
        let room = try Room(seconds: 38)
        defer { room.loop.stop() }
        let answer = room.send(password: "Secret-2026")
        try await eventually { room.isAsked }
        await room.loop.advance(milliseconds: 1000)
        answer.cancel()
        try await eventually { room.isLeft }
        room.answer(with: 200)
        _ = try? await answer.value
    }
}

/// Pages on a loop whose time stands still, over an API whose sign-in waits until it is let go.
private final class Room: Sendable {
    static let visit = "visit-secret-of-this-browser"
    static let cookies = "homeroom-visit=\(visit); homeroom-typed=typed-secret-of-browser"

    private struct State {
        var seconds: Int
        var isLeft = false
        /// Whose turn is to come.
        var turn: CheckedContinuation<Int, Never>?
    }

    let loop: Loop
    let clock = ClockBox(Timestamp("2026-11-22T10:00:00Z")!)
    private let language: Language
    private let state: Mutex<State>

    init(seconds: Int, language: Language = .english) throws {
        loop = try Loop(time: .manual())
        loop.start()
        self.language = language
        state = Mutex(State(seconds: seconds))
    }

    var seconds: Int {
        get { state.withLock { $0.seconds } }
        set { state.withLock { $0.seconds = newValue } }
    }
    var isAsked: Bool { state.withLock { $0.turn != nil } }
    var isLeft: Bool { state.withLock { $0.isLeft } }

    /// Lets the sign-in be answered with a status.
    func answer(with status: Int) { state.withLock { $0.turn }?.resume(returning: status) }

    func send(password: String) -> Task<Browser.Shown, any Error> {
        let token = FormKey(secret: Self.visit).token()
        let form = [
            "managedId": "mira@harbour.example", "password": password, "to": "/my-work",
            FormKey.field: token,
        ]
        let body = form.map { "\($0.key)=\(LocalPath.encoded($0.value))" }.joined(separator: "&")
        return Task(executorPreference: loop) {
            try await self.answer(.post, "/sign-in", Self.cookies, Array(body.utf8))
        }
    }

    func get(_ target: String, cookies: String = Room.cookies) async throws -> Browser.Shown {
        try await Task(executorPreference: loop) {
            try await self.answer(.get, target, cookies, [])
        }.value
    }

    private func answer(
        _ method: HTTPMethod, _ target: String, _ cookies: String, _ body: [UInt8]
    ) async throws -> Browser.Shown {
        let clock = clock
        let pages = Pages(firstNumber: 1, clock: Clock { clock.value }) { await self.api($0) }
        let request = try HTTPRequest(
            method: method, target: target,
            headers: [
                (name: "Cookie", value: cookies),
                (name: "Accept-Language", value: language.rawValue),
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            ], body: body, requestID: "request-7", clientAddress: "192.0.2.7", isSecure: false)
        let response = await pages.answer(request)
        return Browser.Shown(
            status: response.status, headers: response.headers,
            bytes: try await response.wholeBody())
    }

    private func api(_ request: HTTPRequest) async -> HTTPResponse {
        guard request.head.target == "/v1/sign-in" else { return await FakeAPI().answer(request) }
        request.setWait { self.seconds }
        let status = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in state.withLock { $0.turn = turn } }
        } onCancel: {
            state.withLock { $0.isLeft = true }
        }
        request.setWait(nil)
        let api = FakeAPI(
            status == 200
                ? [:]
                : [
                    "POST /v1/sign-in": FakeAPI.problem(
                        status, status == 503 ? "sign_in_busy" : "no")
                ])
        return await api.answer(request)
    }
}
