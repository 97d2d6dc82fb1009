import API
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Directory

/// What a resource declares, its batch stores, compares and replaces: a column that it forgot would be lost without a
/// word.
@Suite struct BatchColumns {
    /// Two values for each column of a resource but the source id.
    private struct Sample {
        let path: String
        let columns: [any AnyColumn]
        let values: [(name: String, one: JSONValue, other: JSONValue)]
        var fixed: [(String, JSONValue)] = []

        /// An item; one of its columns may have the other value.
        func item(other name: String? = nil) -> JSONValue {
            let own = values.map { ($0.name, $0.name == name ? $0.other : $0.one) }
            return .object(JSONObject([("sourceId", "x1")] + own + fixed))
        }
    }

    private func samples(_ school: TestSchool) async throws -> [Sample] {
        func made(_ path: String, _ body: JSONValue) async throws -> JSONValue {
            let answer = try await school.post(path, as: .ada, json: body)
            try #require(answer.status == 201, "\(answer.text)")
            return try #require(answer.json["id"])
        }
        let main = JSONValue.text(school.mainLocation.uuid.description)
        let other = try await made("/v1/locations", ["name": "Annexe"])
        var courses: [JSONValue] = []
        var terms: [JSONValue] = []
        for (name, kind): (JSONValue, JSONValue) in [
            ("Biology", "schoolYear"), ("Physics", "semester"),
        ] {
            courses.append(try await made("/v1/courses", ["name": name, "locationId": main]))
            terms.append(
                try await made(
                    "/v1/terms",
                    [
                        "name": name, "kind": kind, "startsOn": "2026-08-01",
                        "endsOn": "2999-08-01",
                    ]))
        }
        return [
            Sample(
                path: "/v1/locations", columns: Directory.locations.columns,
                values: [
                    ("name", "Au", "Berg"), ("timeZone", "Europe/Zurich", "Europe/Berlin"),
                    ("passwordPolicy", "4", "6"),
                ]),
            Sample(
                path: "/v1/courses", columns: Directory.courses.columns,
                values: [
                    ("name", "Art", "Music"), ("number", "A1", "M1"), ("locationId", main, other),
                ]),
            Sample(
                path: "/v1/classes", columns: Directory.classes.columns,
                values: [
                    ("name", "Art", "Music"), ("number", "A1", "M1"),
                    ("displayName", "Art in 7", "Art"), ("room", "1", "2"),
                    ("locationId", main, other), ("courseId", courses[0], courses[1]),
                    ("termId", terms[0], terms[1]),
                ]),
            Sample(
                path: "/v1/people", columns: Directory.people.columns,
                values: [
                    ("givenName", "Pia", "Pina"), ("familyName", "Page", "Paige"),
                    ("middleName", "M", "N"), ("personNumber", "17", "18"),
                    ("email", "pia@mail.example", "pina@mail.example"), ("grade", "7", "8"),
                    ("passwordPolicy", "4", "6"), ("nameOrder", "givenFirst", "familyFirst"),
                ], fixed: [("roles", [school.role("student")])]),
        ]
    }

    @Test func `each column is stored, compared and replaced`() async throws {
        try await withSchool { school in
            for sample in try await samples(school) {
                #expect(
                    Set(sample.values.map(\.name) + ["sourceId"])
                        == Set(sample.columns.map(\.field.name)), "\(sample.path)")
                func send(_ item: JSONValue, is outcome: String) async throws {
                    let answer = try await school.post(
                        sample.path + "/batch", as: .ada, json: ["items": [item]])
                    #expect(answer.outcomes == [outcome], "\(sample.path): \(answer.text)")
                    let found = try await school.get(sample.path + "/source:x1", as: .ada)
                    for (name, _, _) in sample.values {
                        #expect(found.json[name] == item[name], "\(sample.path) \(name)")
                    }
                }
                try await send(sample.item(), is: "created")
                try await send(sample.item(), is: "unchanged")
                for (name, _, _) in sample.values {
                    try await send(sample.item(other: name), is: "updated")
                    try await send(sample.item(), is: "updated")
                }
            }
        }
    }

    @Test func `a batch and a change alone agree on what makes an imported person a manual one`()
        async throws
    {
        try await withSchool { school in
            let all = try await samples(school)
            let people = try #require(all.first { $0.path == "/v1/people" })
            func sendAll(_ item: JSONValue) async throws {
                let answer = try await school.post(
                    "/v1/people/batch", as: .ada, json: ["items": [item]])
                try #require(answer.status == 200, "\(answer.text)")
            }
            /// The origin of an imported person after a change.
            func origin(after change: () async throws -> Void) async throws -> String {
                try await sendAll(people.item())
                try school.sql("update school.person set origin = 'import' where source_id = 'x1'")
                try await change()
                return try school.sql("select origin from school.person where source_id = 'x1'")[0]
                    .text("origin")
            }
            var marking: Set<String> = []
            for (name, _, other) in people.values {
                let alone = try await origin {
                    let answer = try await school.patch(
                        "/v1/people/source:x1", as: .ada, json: .object(JSONObject([(name, other)]))
                    )
                    try #require(answer.status == 200, "\(answer.text)")
                }
                let batched = try await origin { try await sendAll(people.item(other: name)) }
                #expect(
                    alone == batched,
                    "person_facts() and Directory.imported disagree about \(name)")
                if alone == "manual" { marking.insert(name) }
            }
            #expect(marking.contains("givenName") && !marking.contains("nameOrder"))
        }
    }

    @Test func `people refuse a member that they would not store`() async throws {
        try await withSchool { school in
            let row = JSONDocument(
                #"[{"position": 0, "source_id": "x1", "given_name": "Pia", "no_column": "they"}]"#
                    .utf8.map(\.self))
            let error = #expect(throws: PostgresError.self) {
                try school.sql(
                    "select school.put_people(\(row), false)", as: school.caller(.ada))
            }
            #expect(error?.sqlState == "22023")
        }
    }
}
