import API
import HTTPWire
import JSONBytes
import Testing

/// The API document of a library.
@Suite struct DocumentOfAnAPI {
    private static let isbn = Shape.form(
        TextForm(
            "an ISBN", schema: ["type": "string", "pattern": "^[0-9]{13}$"],
            example: "9780000000002",
            accepts: { $0.utf8.count == 13 && $0.utf8.allSatisfy { (48...57).contains($0) } }))

    private static let book = ObjectShape(
        "Book", [.required("isbn", isbn), .required("title", .line(100))])

    private static let operations = [
        Operation(
            .get, "/v1/books/{isbn}", "Find a book", access: .anyone,
            answers: [.json("The book.", .object(book)).tagged, .unchanged]),
        Operation(
            .get, "/v1/shelves/{id}/books", "List the books of a shelf",
            access: .ownToken(Operation.Scheme("guest")), query: Operation.Parameter.page,
            answers: [.page("Books by title.", of: book)]),
        Operation(
            .post, "/v1/books", "Add a book", description: "It is on the shelf at once.",
            access: .token([.init("reader"), .init("robot", scopes: ["books"])]),
            body: .json(.object(book)),
            answers: [.json("The new book.", .object(book), status: 201).located],
            keys: .honoured, cost: 3, extensions: [("x-desk", "loans")]),
    ]

    private let document = OpenAPI(
        groups: [.init(name: "Books", meaning: "What is on the shelves.", operations: operations)],
        description: APIDescription(
            title: "Library", summary: "Books and who has them.", version: "7", overview: "Read.",
            codes: [.init("not_found", "It is not there.")],
            securitySchemes: ["reader": ["type": "http", "scheme": "bearer"]],
            pathShapes: ["isbn": isbn, "shelves": .uuid], examples: [:])
    ).document

    private func operation(_ method: String, _ path: String) throws -> JSONValue {
        try #require(document["paths"]?[path]?[method])
    }

    private func statuses(_ operation: JSONValue) -> Set<String> {
        Set(operation["responses"]?.object?.members.map(\.key) ?? [])
    }

    @Test func `what the program says of itself is in the document`() {
        #expect(document["info"]?["title"] == "Library")
        #expect(document["info"]?["summary"] == "Books and who has them.")
        #expect(document["info"]?["version"] == "7")
        #expect(document["tags"] == [["name": "Books", "description": "What is on the shelves."]])
        let schemes = document["components"]?["securitySchemes"]
        #expect(schemes?["reader"]?["scheme"] == "bearer")
    }

    @Test func `a call lists the schemes of which one suffices, with their scopes`() throws {
        let add = try operation("post", "/v1/books")
        #expect(add["security"] == [["reader": []], ["robot": ["books"]]])
        #expect(add["x-desk"] == "loans")
        #expect(try operation("get", "/v1/shelves/{id}/books")["security"] == [["guest": []]])
        #expect(try operation("get", "/v1/books/{isbn}")["security"] == [])
    }

    @Test func `a call says what its summary cannot, where that is needed`() throws {
        let add = try operation("post", "/v1/books")
        #expect(add["summary"] == "Add a book")
        #expect(add["description"] == "It is on the shelf at once.")
        #expect(try operation("get", "/v1/books/{isbn}")["description"] == nil)
    }

    @Test func `a path parameter has the shape of its name, or of its collection`() throws {
        let find = try operation("get", "/v1/books/{isbn}")["parameters"]?[0]
        #expect(find?["schema"] == ["type": "string", "pattern": "^[0-9]{13}$"])
        let list = try operation("get", "/v1/shelves/{id}/books")["parameters"]?[0]
        #expect(list?["schema"] == ["type": "string", "format": "uuid"])
    }

    @Test func `only a call whose token the service checks is refused for its token`() throws {
        let refusals: Set = ["401", "403", "429"]
        #expect(statuses(try operation("post", "/v1/books")).isSuperset(of: refusals))
        #expect(statuses(try operation("get", "/v1/books/{isbn}")).isDisjoint(with: refusals))
        let own = statuses(try operation("get", "/v1/shelves/{id}/books"))
        #expect(own.isDisjoint(with: refusals))
    }

    @Test func `a call that honours keys takes one and says how it can fail`() throws {
        let add = try operation("post", "/v1/books")
        #expect(add["parameters"]?[0]?["name"] == "Idempotency-Key")
        #expect(statuses(add).isSuperset(of: ["409", "422"]))
        #expect(statuses(try operation("get", "/v1/shelves/{id}/books")).contains("409") == false)
    }

    @Test func `text of a form is checked and named by it`() {
        #expect(Self.isbn.check("9780000000002").isEmpty)
        let finding = Self.isbn.check("978").first
        #expect(finding?.code == "malformed")
        #expect(finding?.detail == "This should be an ISBN.")
        #expect(Self.isbn.check(7).first?.detail == "This should be an ISBN, not a number.")
        #expect(Self.isbn.example(from: [:]) == "9780000000002")
    }
}
