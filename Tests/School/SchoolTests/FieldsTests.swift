import API
import HTTPServer
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

@Suite("?fields=")
struct ChosenFields {
    private static let sam = "/v1/people/source:sis-sam"

    @Test func `a list shows the chosen fields of its items, and its pages`() async throws {
        try await withSchool { school in
            let page = try await school.get(
                "/v1/people?role=student&limit=2&fields=givenName,roles.role", as: .ada)
            #expect(page.status == 200)
            #expect(page.json.object?.keys == ["items", "nextPageToken"])
            #expect(
                page.items == [
                    ["givenName": "Sam", "roles": [["role": "student"]]],
                    ["givenName": "Sue", "roles": [["role": "student"]]],
                ])
            let token = try #require(page.json["nextPageToken"]?.text)
            // Other fields do not make it another list.
            let next = try await school.get(
                "/v1/people?role=student&limit=2&fields=givenName&pageToken=\(token)", as: .ada)
            #expect(next.items == [["givenName": "Ben"]])
        }
    }

    @Test func `a single object shows them too`() async throws {
        try await withSchool { school in
            let answer = try await school.get("\(Self.sam)?fields=managedId", as: .ada)
            #expect(answer.text == #"{"managedId":"sam@hillside.example"}"#)
            let own = try await school.get("/v1/me?fields=person.givenName", as: .sam)
            #expect(own.text == #"{"person":{"givenName":"Sam"}}"#)
        }
    }

    @Test(arguments: [
        ("people?fields=givenNam", "“givenNam” is not a field here. There are: id, "),
        ("people?fields=id,,email", "“” is not a field here."),
        ("people?fields=roles.rol", "“rol” is not a field here. There are: role, locationId."),
        ("people?fields=givenName.first", "“first” is below a field that has no fields"),
        ("people?fields=items.id", "“items” is not a field here."),
        ("people/source:sis-sam?fields=expanded.class", "“expanded” is not a field here."),
        ("people?fields=", "This should have 1 to 2000 characters."),
    ])
    func `an unknown name is refused with the names that there are`(
        query: String, detail: String
    ) async throws {
        try await withSchool { school in
            let answer = try await school.get("/v1/\(query)", as: .ada)
            #expect(answer.status == 400)
            #expect(answer.code == "invalid_parameter")
            let text = try #require(answer.json["detail"]?.text)
            #expect(text.hasPrefix("fields: "), "\(text)")
            #expect(text.contains(detail), "\(text)")
        }
    }

    @Test func `each choice has a tag of its own, which writes take`() async throws {
        try await withSchool { school in
            func tag(_ query: String) async throws -> String {
                let answer = try await school.get(Self.sam + query, as: .ada)
                return try #require(answer.header("ETag"))
            }
            let (whole, name) = (try await tag(""), try await tag("?fields=givenName"))
            #expect(whole != name)
            #expect(try await tag("?fields=familyName") != name)
            let again = try await school.get(
                "\(Self.sam)?fields=givenName", as: .ada, headers: [("If-None-Match", name)])
            #expect(again.status == 304)
            let other = try await school.get(
                Self.sam, as: .ada, headers: [("If-None-Match", name)])
            #expect(other.status == 200)
            let written = try await school.patch(
                Self.sam, as: .ada, json: ["grade": "8"], headers: [("If-Match", name)])
            #expect(written.status == 200)
            let late = try await school.patch(
                Self.sam, as: .ada, json: ["grade": "9"], headers: [("If-Match", name)])
            #expect(late.status == 412)
        }
    }

    @Test func `a report is narrowed, too`() async throws {
        try await withSchool { school in
            let path = "/v1/handouts/\(try school.newHandout().id.uuid)/report"
            func people(_ answer: Answer) -> [JSONValue] {
                let students = answer.json["tasks"]?[0]?["students"]?.array ?? []
                return students.compactMap { $0["personId"] }
            }
            let whole = try await school.get(path, as: .tom)
            let narrow = try await school.get("\(path)?fields=tasks.students.personId", as: .tom)
            #expect(narrow.json.object?.keys == ["tasks"])
            #expect(people(whole).count == 2)
            #expect(people(narrow) == people(whole))
            #expect(narrow.json["tasks"]?[0]?["students"]?[0]?.object?.keys == ["personId"])
        }
    }

    @Test func `an answer that is streamed is narrowed piece by piece`() async throws {
        let shape = Shape.fields("Flags", [.required("a", .boolean), .required("b", .boolean)])
        let operation = Operation(
            .get, "/v1/flags", "Show flags", access: .anyone, answers: [.json("Them.", shape)],
            isProjected: true)
        let request = Request(
            http: try HTTPRequest(method: .get, target: "/v1/flags?fields=b", headers: []),
            operation: operation, parameters: PathParameters())
        let projection = try #require(try Projection(request, records: [:]))
        let whole = Response(
            200,
            body: .stream(length: 20) { writer in
                for piece in [#"{"a":tr"#, #"ue,"b":fal"#, "se}"] {
                    try await writer.write(Array(piece.utf8))
                }
            })
        #expect(try await Self.text(of: whole) == #"{"a":true,"b":false}"#)
        #expect(try await Self.text(of: projection.applied(to: whole)) == #"{"b":false}"#)
    }

    private static func text(of response: Response) async throws -> String {
        let body = try await HTTPResponse(status: 200, body: response.body).wholeBody()
        return String(decoding: body, as: UTF8.self)
    }

    @Test(arguments: ["fields=id", "count=true"]) func `CSV is not narrowed or counted`(
        query: String
    ) async throws {
        try await withSchool { school in
            let answer = try await school.get(
                "/v1/audit-events?\(query)", as: .ada, headers: [("Accept", "text/csv")])
            #expect(answer.status == 400)
            #expect(answer.json["detail"]?.text?.contains("This parameter is for JSON") == true)
            let whole = try await school.get(
                "/v1/audit-events", as: .ada, headers: [("Accept", "text/csv")])
            #expect(whole.status == 200)
        }
    }

    private func sample(_ shape: Shape) -> String {
        if case .word(let words) = shape { return words[0] }
        if case .uuid = shape { return "0199aaaa-0000-7000-8000-000000000000" }
        return "%5B%22a%22%5D"
    }

    @Test func `every call that shows an object honours it`() async throws {
        try await withSchool { school in
            let calls = school.features.flatMap(\.endpoints).filter { endpoint in
                endpoint.path.hasPrefix("/v1/")
                    && endpoint.operation.parameters.contains { $0.name == "fields" }
            }
            #expect(calls.count > 60)
            for call in calls {
                #expect(call.method == .get)
                let answer = try await school.get(target(call), as: try caller(of: call))
                #expect(answer.status == 400, "\(call.path): \(answer.text)")
                #expect(answer.text.contains("“no-such-field” is not a field here"), "\(call.path)")
            }
        }
    }

    /// The call with ids that do not exist, and a wrong field.
    private func target(_ call: Endpoint) -> String {
        let path = call.path.split(separator: "/").map {
            $0.hasPrefix("{") ? "0199aaaa-0000-7000-8000-000000000000" : String($0)
        }
        let needed = call.operation.parameters.filter(\.isRequired)
            .map { "&\($0.name)=\(sample($0.shape))" }
        return "/\(path.joined(separator: "/"))?fields=no-such-field\(needed.joined())"
    }

    /// Someone who may make the call.
    private func caller(of call: Endpoint) throws -> Persona {
        guard case .standings(let standings) = call.callers else {
            Issue.record("\(call.path) is open")
            return .ada
        }
        let found = Persona.allCases.first { persona in
            let held = persona.roles + [persona.fixedStanding].compactMap(\.self)
            return held.contains(where: standings.contains)
        }
        return try #require(found, "\(call.path)")
    }
}
