import API
import JSONBytes
import Testing

@Suite struct ShapeChecking {
    static let item = ObjectShape(
        "Item",
        [
            .required("name", .line(5)), .optional("count", .integer(1...9)),
            .optional("tags", .array(.word(["a", "b"]), count: 0...2)),
            .optional("since", .timestamp),
            .optional("whose", .either(.word(["class"]), .array(.uuid, count: 1...3))),
            .nullable("room", .line()),
        ])

    @Test func `a matching value has no findings`() throws {
        let value: JSONValue = [
            "name": "Ada", "count": 3, "tags": ["a"], "since": "2026-11-21T08:00:00Z",
            "whose": "class", "room": nil,
        ]
        #expect(Shape.object(Self.item).check(value).isEmpty)
    }

    @Test(arguments: [
        ("{}", "/name", "missing"),
        (#"{"name":""}"#, "/name", "wrong_length"),
        (#"{"name":"  "}"#, "/name", "blank"),
        (#"{"name":"a\u0007"}"#, "/name", "control_character"),
        (#"{"name":"sixsix"}"#, "/name", "wrong_length"),
        (#"{"name":null}"#, "/name", "wrong_type"),
        (#"{"name":"a","count":null}"#, "/count", "wrong_type"),
        (#"{"name":"a","whose":null}"#, "/whose", "wrong_type"),
        (#"{"name":"a","tags":["a",null]}"#, "/tags/1", "wrong_type"),
        (#"{"name":"a","nick":"b"}"#, "/nick", "unknown_field"),
        (#"{"name":"a","a/b~":1}"#, "/a~1b~0", "unknown_field"),
        (#"{"name":"a","count":0}"#, "/count", "out_of_range"),
        (#"{"name":"a","count":1.5}"#, "/count", "out_of_range"),
        (#"{"name":"a","count":"1"}"#, "/count", "wrong_type"),
        (#"{"name":"a","tags":["a","c"]}"#, "/tags/1", "malformed"),
        (#"{"name":"a","tags":["a","a","a"]}"#, "/tags", "wrong_count"),
        (#"{"name":"a","since":"yesterday"}"#, "/since", "malformed"),
        (#"{"name":"a","whose":["x"]}"#, "/whose/0", "malformed"),
        (#"{"name":"a","whose":7}"#, "/whose", "wrong_type"),
        (#"[]"#, "", "wrong_type"),
    ])
    func `a mismatch is named with its location`(
        text: String, pointer: String, code: String
    ) throws {
        let findings = Shape.object(Self.item).check(try JSONValue(parsing: text))
        #expect(findings.map(\.pointer) == [pointer])
        #expect(findings.map(\.code) == [code])
    }

    @Test func `a variant is chosen by its discriminator`() throws {
        let shape = Shape.variant(
            name: "Task", discriminator: "kind",
            [
                (
                    "link",
                    ObjectShape(
                        "Link", [.required("kind", .word(["link"])), .required("url", .line())])
                )
            ])
        #expect(shape.check(["kind": "link", "url": "https://hillside.example"]).isEmpty)
        #expect(shape.check(["kind": "song"]).map(\.pointer) == ["/kind"])
        #expect(shape.check(["kind": "link"]).map(\.pointer) == ["/url"])
    }

    @Test func `findings stop at a hundred`() {
        let value = JSONValue.array(Array(repeating: .text("x"), count: 500))
        #expect(Shape.array(.uuid, count: 0...1000).check(value).count == 100)
    }
}
