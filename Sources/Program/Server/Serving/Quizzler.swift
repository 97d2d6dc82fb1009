import CEmbedded
import Demonstration
import EventLoop
import HTTPServer
import HTTPWire

/// *Quizzler in the browser*: an app of the demonstration school as a page on an origin of its own, like the page of any
/// other developer. It signs in and reports over the API, and knows nothing of the server that happens to serve it.
///
/// Only browsers on this machine reach it, and only where the demonstration is served (`Settings.quizzlerListener`).
final class Quizzler: Sendable {
    let port: UInt16
    private let server: HTTPServer

    /// As browsers send it.
    var origin: String { Self.origin(port) }

    /// - Parameters:
    ///   - listener: a listening socket; closed at the end.
    ///   - school: the port of this machine on which the school is served.
    init(loop: Loop, listener: Int32, school: UInt16) {
        var settings = HTTPServerSettings()
        settings.connectionLimit = 64
        settings.drainGraceMilliseconds = 0
        port = ListeningSocket.port(of: listener)
        let files = Files(host: "127.0.0.1:\(port)", school: school)
        server = HTTPServer(loops: [loop], listener: listener, settings: settings) {
            files.answer($0)
        }
    }

    func start() async throws { try await server.start() }
    func stop() async { await server.shutdown() }

    static func origin(_ port: UInt16) -> String { "http://127.0.0.1:\(port)" }

    /// What the origin has: the page, also where the browser brings the code of a sign-in, its script and its style.
    struct Files: Sendable {
        let host: String
        let school: UInt16

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            // Another name that leads to this machine is not this origin (DNS rebinding).
            guard request.headers["host"] == host,
                request.method == .get || request.method == .head
            else { return Self.absent }
            switch request.segments {
            case [], ["callback"]: return file(page(request), "text/html; charset=utf-8")
            case ["quizzler.js"]: return file(text(quizzler_js), "text/javascript; charset=utf-8")
            case ["quizzler.css"]: return file(text(quizzler_css), "text/css; charset=utf-8")
            default: return Self.absent
            }
        }

        /// The page, for the name of the school that the query chooses, of two: the browser keeps a session for each.
        private func page(_ request: HTTPRequest) -> String {
            let name = request.query["at"] == "localhost" ? "localhost" : "127.0.0.1"
            return text(quizzler_html)
                .replacing("CLIENT", with: DemonstrationAccount.quizzlerID)
                .replacing("SCHOOL", with: "http://\(name):\(school)")
        }

        private func text(_ file: EmbeddedFile) -> String {
            String(
                decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
        }

        private func file(_ text: String, _ type: String) -> HTTPResponse {
            HTTPResponse(
                status: 200, type: type, bytes: Array(text.utf8),
                headers: [
                    ResponseField("Cache-Control", "no-store"),
                    ResponseField(
                        "Content-Security-Policy",
                        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
                            + "http://127.0.0.1:\(school) http://localhost:\(school); "
                            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
                    // The address holds the code of a sign-in.
                    ResponseField("Referrer-Policy", "no-referrer"),
                    ResponseField("X-Content-Type-Options", "nosniff"),
                ])
        }

        private static let absent = HTTPResponse(
            status: 404, type: "text/plain", bytes: Array("Not here.\n".utf8))
    }
}

extension Settings {
    /// A socket for the app of the demonstration: on this machine alone, beside the school's port if that is free.
    ///
    /// `nil` where the demonstration is not served, and where clients know the server by another address.
    func quizzlerListener() throws -> Int32? {
        guard pages == .demonstration else { return nil }
        guard url == nil, tlsFiles == nil else { return nil }
        let beside: UInt16 = listen.port == 0 || listen.port == .max ? 0 : listen.port + 1
        do {
            return try ListeningSocket.bind(address: "127.0.0.1", port: beside)
        } catch {
            return try ListeningSocket.bind(address: "127.0.0.1", port: 0)
        }
    }
}
