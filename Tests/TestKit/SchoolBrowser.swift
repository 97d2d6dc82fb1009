import HTTPServer
import HTTPWire
import Pages
import School
import Synchronization
import Values

/// A browser in front of the pages of a test school, which ask its real API.
///
/// It keeps the session's cookie and remembers which calls each page made.
package final class SchoolBrowser: Sendable {
    /// A page as the browser got it.
    package struct Shown: Sendable {
        package let status: Int
        package let headers: [ResponseField]
        package let body: [UInt8]
        /// The calls of the API that it took.
        package let calls: [Call]

        package var text: String { String(decoding: body, as: UTF8.self) }
        package var location: String? { header("location") }

        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name }?.value
        }

        /// Where the links of the page lead, on this server.
        package var links: [String] {
            text.matches(of: /href="(\/[^"#]*)/).map {
                String($0.1).replacing("&amp;", with: "&")
            }
        }

        /// Where its forms are sent, on this server.
        package var forms: [String] {
            text.matches(of: /<form[^>]* action="(\/[^"#]*)/).map {
                String($0.1).replacing("&amp;", with: "&")
            }
        }

        /// The token against forgery of its first form.
        package var formToken: String? {
            text.firstMatch(of: /name="formToken" value="([^"]+)"/).map { String($0.1) }
        }
    }

    /// A call that a page made.
    package struct Call: Sendable, Hashable {
        package let method: String
        /// The pattern of its path; what was asked for, if there is no such call.
        package let path: String
        package let status: Int
    }

    /// A link to what is no address.
    package struct BrokenLink: Error {
        package let target: String
    }

    private let school: TestSchool
    private let token: String?
    private let pages: Pages
    private let calls = Recording()

    /// - Parameter token: the access token that the browser's session holds; `nil` if nobody is signed in.
    package init(_ school: TestSchool, token: String?) {
        self.school = school
        self.token = token
        let calls = calls
        pages = Pages(firstNumber: 1, clock: school.database.clock) { request in
            let response = await school.answer(request)
            calls.add(
                Call(
                    method: request.method.name,
                    path: school.pattern(request.method, request.segments)
                        ?? request.head.target,
                    status: response.status))
            return response
        }
    }

    package convenience init(_ school: TestSchool, as persona: Persona?) {
        self.init(school, token: persona?.token)
    }

    package func get(_ target: String) async throws -> Shown {
        try await send(.get, target, headers: [], body: [])
    }

    /// Sends a form.
    ///
    /// - Parameter formToken: the token against forgery, from a page that this browser was shown.
    package func post(
        _ target: String, _ fields: [(name: String, value: String)] = [], formToken: String?
    ) async throws -> Shown {
        let sent = fields + (formToken.map { [(name: "formToken", value: $0)] } ?? [])
        let text = sent.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
        return try await send(
            .post, target,
            headers: [(name: "Content-Type", value: "application/x-www-form-urlencoded")],
            body: Array(text.utf8))
    }

    /// Follows the links from some pages to every other, and shows each. Of pages that differ only in the values of
    /// the query it shows one.
    ///
    /// - Parameter pattern: what else pages have in common of which one is enough.
    package func walk(
        from starts: [String], pattern: (String) -> String = { $0 },
        _ show: (String, Shown) async throws -> Void
    ) async throws {
        var seen: Set<String> = []
        var waiting = starts
        while let target = waiting.first {
            waiting.removeFirst()
            let query = target.matches(of: /[?&]([^=&]+)/).map { $0.1 }.sorted()
            let path = target.prefix { $0 != "?" }
            guard seen.insert(pattern("\(path)?\(query.joined(separator: "&"))")).inserted else {
                continue
            }
            let shown = try await get(target)
            try await show(target, shown)
            let isPage = shown.header("content-type")?.hasPrefix("text/html") == true
            let links = isPage ? shown.links : shown.location.map { [$0] } ?? []
            // The documentation of the API is for developers, and says nothing of a school.
            waiting += links.filter { !$0.hasPrefix("/docs") }
        }
    }

    private func send(
        _ method: HTTPMethod, _ target: String, headers: [(name: String, value: String)],
        body: [UInt8]
    ) async throws -> Shown {
        var fields = headers + [(name: "Host", value: "localhost")]
        if let token { fields.append((name: "Cookie", value: "homeroom=\(token)")) }
        let request: HTTPRequest
        do {
            request = try HTTPRequest(
                method: method, target: target, headers: fields, body: body,
                clientAddress: "127.0.0.1")
        } catch {
            throw BrokenLink(target: target)
        }
        let (pages, calls) = (pages, calls)
        calls.clear()
        let outcome = await school.onItsLoop { () async -> Result<Shown, any Error> in
            let response = await pages.answer(request)
            do {
                return .success(
                    Shown(
                        status: response.status, headers: response.headers,
                        body: try await response.wholeBody(), calls: calls.all))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    /// The calls since the last page.
    private final class Recording: Sendable {
        private let calls = Mutex<[Call]>([])

        var all: [Call] { calls.withLock { $0 } }
        func add(_ call: Call) { calls.withLock { $0.append(call) } }
        func clear() { calls.withLock { $0 = [] } }
    }
}
