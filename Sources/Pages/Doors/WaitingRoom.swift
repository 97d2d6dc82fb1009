import HTTPServer
import HTTPWire
import JSONBytes
import Values

enum WaitingText: String, TextKey {
    case title, why, seconds, minutes, goOn

    static let section = "waiting"
}

/// "About 40 seconds. Stay here.": what stands in the browser while many people sign in, and leads on by itself.
///
/// The page is not finished until the turn has come: its last lines are sent then, with what came of the form. So what
/// was typed stays with the one request, in no page, no cookie and no other process; and whoever leaves gives up the
/// place. `/sign-in/entered` takes the session from the page's last line, which is sealed for this browser.
enum WaitingRoom: Screen {
    static var pages: [Page] {
        [.get("/sign-in/entered", for: .anyone) { visit in enter(visit) }]
    }

    /// After how long it is asked whether a page should say how long it takes.
    private static let lookMilliseconds = 1000
    /// Shorter waits need no page.
    private static let shortestSeconds = 4
    /// How long the way from the last line to `/sign-in/entered` is open, and everything before it.
    private static let minutes = 15

    /// The answer of the work, or a page that waits for it.
    ///
    /// - Parameter back: where the answer leads if it is a good one.
    static func answer(
        _ visit: Visit, to back: LocalPath, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        // What a form carries on does not fit into an address; such a form waits without a page.
        guard visit.carried == nil else { return try await work() }
        let pending = Pending(work)
        return try await withTaskCancellationHandler {
            while true {
                if let result = await pending.result(within: lookMilliseconds) {
                    return try result.get()
                }
                guard let seconds = visit.request.secondsToWait, seconds >= shortestSeconds else {
                    continue
                }
                return .waiting(Waiting(answer: pending, seconds: seconds, back: back))
            }
        } onCancel: {
            pending.cancel()
        }
    }

    // MARK: The way on

    /// What the browser has to do now that the answer is there.
    static func ending(_ result: Result<Answer, any Error>, _ visit: Visit) -> HTML {
        do {
            switch try result.get() {
            case .entered(let entry): return goOn(to: address(of: entry, visit), visit)
            case .redirect(let path, _, _): return goOn(to: path, visit)
            case .view(let view): return view.main
            case .response, .waiting: return goOn(to: "/", visit)
            }
        } catch let refusal as Refusal {
            return ErrorPage.view(refusal, visit).main
        } catch {
            return ErrorPage.failure(500, visit.request.requestID, visit).main
        }
    }

    /// Browsers follow the first part by themselves, wherever in the page it comes.
    private static func goOn(to path: LocalPath, _ visit: Visit) -> HTML {
        parts {
            meta(
                Attribute("http-equiv", "refresh"), Attribute("content", "0;url=\(path.text)"))
            p {
                a(.class("button button-main button-wide"), .href(path)) {
                    visit.texts(WaitingText.goOn)
                }
            }
        }
    }

    private static func address(of entry: Entry, _ visit: Visit) -> LocalPath {
        let until = visit.now.milliseconds + Int64(minutes) * 60_000
        let ticket = visit.typedKey.seal(
            [
                "token": .text(entry.session.token), "isKept": .bool(entry.session.isKept),
                "seconds": .number(JSONNumber(Int64(entry.seconds))),
                "next": .text(entry.next.text),
                "cookies": .array(entry.headers.map { .text($0.value) }),
                "until": .number(JSONNumber(until)),
            ], for: .entry)
        return LocalPath("/sign-in/entered").with("ticket", ticket)
    }

    private static func enter(_ visit: Visit) -> Answer {
        guard let sealed = visit.query("ticket"),
            let ticket = visit.typedKey.open(sealed, for: .entry),
            let until = ticket["until"]?.int64, until > visit.now.milliseconds
        else { return .redirect("/sign-in") }
        let session = Session(
            token: ticket["token"]?.text ?? "", isKept: ticket["isKept"]?.bool == true)
        let cookies = (ticket["cookies"]?.array ?? []).compactMap(\.text)
        return .entered(
            Entry(
                session: session, seconds: Int(ticket["seconds"]?.int64 ?? 3600),
                next: SignIn.destination(ticket["next"]?.text),
                headers: cookies.map { ResponseField("Set-Cookie", $0) }))
    }
}

/// An answer that waits for its turn.
package struct Waiting: Sendable {
    let answer: Pending<Answer>
    /// How long it probably waits.
    let seconds: Int
    /// Where it leads.
    let back: LocalPath

    /// How often the page says how long it still takes. It also keeps proxies from giving up.
    private static let beatMilliseconds = 5000
    /// Where the page is cut, to be sent in pieces.
    private static let cut: StaticString = "<!-- -->"

    /// The page, with the places of its pieces.
    func view(_ visit: Visit) -> View {
        let texts = visit.texts
        var view = View(texts(WaitingText.title), .narrow) {
            div(.class("waiting")) {
                div(.class("stack")) {
                    h1 { texts(WaitingText.title) }
                    p { texts(WaitingText.why) }
                    div(.class("waiting"), .role("status")) {
                        Self.line(seconds, texts)
                        HTML.markup(Self.cut)
                    }
                }
                HTML.markup(Self.cut)
            }
        }
        view.formTargets = AuthorizationRequest.formTargets(to: back)
        return view
    }

    /// Sends the page: its beginning, how long it still takes every few seconds, and the answer at its end.
    func send(_ document: [UInt8], _ visit: Visit, to writer: ResponseWriter) async throws {
        let pieces = Self.pieces(document)
        var left = seconds
        var sinceAsked = 0
        try await withTaskCancellationHandler {
            do {
                try await writer.write(pieces[0])
                // Who closes the page is noticed at once.
                _ = try writer.keepOpen()
                while true {
                    if let result = await answer.result(within: Self.beatMilliseconds) {
                        let ending = div { WaitingRoom.ending(result, visit) }
                        return try await writer.write(pieces[1] + ending.bytes + pieces[2])
                    }
                    // Asking costs the more, the longer the line is; a long wait is counted down meanwhile.
                    sinceAsked += Self.beatMilliseconds / 1000
                    left = max(0, left - Self.beatMilliseconds / 1000)
                    if sinceAsked >= left / 10 {
                        left = visit.request.secondsToWait ?? min(left, 5)
                        sinceAsked = 0
                    }
                    try await writer.write(Self.line(left, visit.texts).bytes)
                }
            } catch {
                answer.cancel()
                throw error
            }
        } onCancel: {
            answer.cancel()
        }
    }

    /// `About 40 seconds. Stay here.` A rough number, as others come and go.
    private static func line(_ seconds: Int, _ texts: Texts) -> HTML {
        let rounded = max(5, (seconds + 4) / 5 * 5)
        return p(.class("waiting-time")) {
            rounded < 90
                ? texts(WaitingText.seconds, count: rounded)
                : texts(WaitingText.minutes, count: (seconds + 59) / 60)
        }
    }

    private static func pieces(_ document: [UInt8]) -> [[UInt8]] {
        let cut = Array("\(Self.cut)".utf8)
        let pieces = document.split(separator: cut, omittingEmptySubsequences: false)
        precondition(pieces.count == 3, "the page of those who wait has two cuts")
        return pieces.map(Array.init)
    }
}
