import HTTPServer
import HTTPWire
import Testing

@Suite struct Routing {
    static let router: Router<String> = {
        var router = Router<String>()
        router.register(.get, "/", "root")
        router.register(.get, "/v1/people", "list")
        router.register(.post, "/v1/people", "add")
        router.register(.post, "/v1/people/batch", "batch")
        router.register(.get, "/v1/people/{id}", "find")
        router.register(.get, "/v1/{kind}/{number}/notes", "notes")
        return router
    }()

    private func find(_ method: HTTPMethod, _ segments: String...) -> String {
        switch Self.router.match(method, segments) {
        case .found(let route, let parameters):
            "\(route) \(parameters["id"] ?? "-") \(parameters["kind"] ?? "-")"
        case .methodNotAllowed(let methods): "allow \(methods)"
        case .notFound: "none"
        }
    }

    @Test func `a path and a method find their route`() {
        #expect(find(.get) == "root - -")
        #expect(find(.get, "v1", "people") == "list - -")
        #expect(find(.post, "v1", "people") == "add - -")
        #expect(find(.get, "v1", "people", "a/b") == "find a/b -")
        #expect(find(.head, "v1", "people", "x") == "find x -")
    }

    @Test func `a literal wins, and a parameter is tried where it leads nowhere`() {
        #expect(find(.post, "v1", "people", "batch") == "batch - -")
        #expect(find(.get, "v1", "people", "batch") == "allow [POST, OPTIONS]")
        #expect(find(.get, "v1", "people", "batch", "notes") == "notes - people")
    }

    @Test func `other methods learn which are allowed`() {
        #expect(find(.put, "v1", "people") == "allow [GET, POST, HEAD, OPTIONS]")
        #expect(find(.options, "v1", "people", "batch") == "allow [POST, OPTIONS]")
    }

    @Test func `unknown, incomplete and empty paths find nothing`() {
        #expect(find(.get, "v2") == "none")
        #expect(find(.get, "v1") == "none")
        #expect(find(.get, "v1", "people", "") == "none")
        #expect(find(.get, "v1", "people", "x", "y") == "none")
    }
}
