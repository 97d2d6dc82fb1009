import API
import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("?expand=")
struct ExpandedAnswers {
    private static let biology = TestIDs.biology.uuid.description

    @Test func `a class has its location, teachers and students`() async throws {
        try await withSchool { school in
            let answer = try await school.get(
                "/v1/classes/\(Self.biology)?expand=location,teachers,students,course", as: .ada)
            #expect(answer.status == 200)
            let expanded = try #require(answer.json["expanded"])
            #expect(expanded["location"]?["name"]?.text == "Main building")
            #expect(expanded["course"] == .null)
            for (name, field) in [("teachers", "teacherIds"), ("students", "studentIds")] {
                let ids = expanded[name]?.array?.compactMap { $0["id"] }
                #expect(ids?.count == 2)
                #expect(ids == answer.json[field]?.array)
            }
            let plain = try await school.get("/v1/classes/\(Self.biology)", as: .ada)
            #expect(plain.json["expanded"] == nil)
        }
    }

    @Test func `lists and chosen fields have it too`() async throws {
        try await withSchool { school in
            let page = try await school.get(
                "/v1/classes?expand=teachers&fields=name,expanded.teachers.givenName&q=biology",
                as: .ada)
            let expected: JSONValue = [
                "name": "Biology",
                "expanded": ["teachers": [["givenName": "Tom"], ["givenName": "Cora"]]],
            ]
            #expect(page.items == [expected])
            let seats = try await school.get(
                "/v1/classes/\(Self.biology)/seats?role=student&expand=person", as: .ada)
            #expect(seats.items.count == 2)
            for seat in seats.items {
                #expect(seat["expanded"]?["person"]?["id"] == seat["personId"])
            }
        }
    }

    @Test(arguments: [
        ("classes?expand=teacher", 400, "expand: This answer has nothing to expand by “teacher”."),
        ("classes?expand=teachers,", 400, "expand: This answer has nothing to expand by “”."),
        ("classes?expand=teachers&limit=201", 400, "limit: With expand, a page has at most 200"),
        ("people?expand=class", 400, "expand: This call has no such parameter."),
        (
            "classes?expand=teachers&fields=expanded.students.x", 400,
            "fields: “x” is not a field here. There are: id, "
        ),
    ])
    func `what cannot be expanded is named`(
        query: String, status: Int, detail: String
    ) async throws {
        try await withSchool { school in
            let answer = try await school.get("/v1/\(query)", as: .ada)
            #expect(answer.status == status)
            let text = try #require(answer.json["detail"]?.text)
            #expect(text.hasPrefix(detail), "\(text)")
        }
    }

    @Test func `a record's change changes the tag`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(Self.biology)?expand=teachers"
            let tag = try #require(try await school.get(path, as: .ada).header("ETag"))
            let known = [("If-None-Match", tag)]
            #expect(try await school.get(path, as: .ada, headers: known).status == 304)
            let renamed = try await school.patch(
                "/v1/people/source:sis-tom", as: .ada, json: ["familyName": "Otherwise"])
            #expect(renamed.status == 200)
            #expect(try await school.get(path, as: .ada, headers: known).status == 200)
            let written = try await school.patch(
                "/v1/classes/\(Self.biology)", as: .ada, json: ["room": "12"],
                headers: [("If-Match", tag)])
            #expect(written.status == 200)
        }
    }

    @Test func `an app learns nothing by it`() async throws {
        try await withSchool { school in
            let lists = school.features.flatMap(\.endpoints).filter {
                !$0.operation.expansions.isEmpty
            }
            let paths = Set(lists.map(\.path))
            #expect(paths.contains("/v1/handouts") && paths.contains("/v1/classes"))
            for list in lists {
                guard case .standings(let standings) = list.callers, standings.contains(.app) else {
                    continue
                }
                let answer = try await school.get(
                    "\(list.path)?expand=\(list.operation.expansions[0].name)", as: .samsApp)
                #expect(answer.status == 403, "\(list.path)")
            }
        }
    }

    /// As everyone, in every list: what is expanded is what the direct call shows, and what is missing it does not show.
    @Test func `nobody gets by expand what the direct call would refuse`() async throws {
        try await withSchool { school in
            try await school.fill()
            let lists = school.features.flatMap(\.endpoints).filter {
                !$0.operation.expansions.isEmpty && !$0.path.contains("{")
            }
            var proof = Proof()
            for list in lists {
                for persona in Self.everyone {
                    proof.add(try await school.compare(list, as: persona))
                }
            }
            for name in ["location", "class", "teachers", "students", "person", "author"] {
                #expect(proof.shown[name, default: 0] > 0, "\(name) of \(proof.shown)")
            }
            #expect(proof.hidden > 0)
        }
    }

    private static let everyone = [
        Persona.ada, .petra, .mara, .tom, .tess, .provisioner, .sam, .olga,
    ]

    @Test func `who may read records by expand may read them by their own calls`() async throws {
        try await withSchool { school in
            let endpoints = school.features.flatMap(\.endpoints)
            var shapes: Set<String> = []
            for endpoint in endpoints where endpoint.method == .get {
                guard case .object(let shape)? = Operation.shape(of: endpoint.operation.answers),
                    ExpandedRecord(rawValue: shape.name) != nil, endpoint.path.hasSuffix("/{id}"),
                    case .standings(let standings) = endpoint.callers
                else { continue }
                shapes.insert(shape.name)
                #expect(standings == ExpandedRecord.readers, "\(endpoint.path)")
            }
            #expect(shapes == Set(ExpandedRecord.allCases.map(\.rawValue)))
        }
    }
}

/// How many records were shown by each expansion, and how many were not.
private struct Proof: Sendable {
    var shown: [String: Int] = [:]
    var hidden = 0

    mutating func add(_ other: Proof) {
        shown.merge(other.shown) { $0 + $1 }
        hidden += other.hidden
    }
}

extension TestSchool {
    /// Things that refer to people and classes.
    fileprivate func fill() async throws {
        _ = try newHandout()
        let announced = try await post(
            "/v1/announcements", as: .tom,
            json: ["classId": .text(TestIDs.biology.uuid.description), "text": "Bring a leaf."])
        #expect(announced.status == 201)
        let left = try await post(
            "/v1/announcements", as: .cora,
            json: ["classId": .text(TestIDs.biology.uuid.description), "text": "Goodbye."])
        #expect(left.status == 201)
        // Tom does not see who taught with him once that is over.
        try sql("delete from school.seat where person_id = \(Persona.cora.personID)")
    }

    private static let paths = [
        "Location": "locations", "Person": "people", "Course": "courses", "Class": "classes",
        "Term": "terms",
    ]

    /// Compares what a list was expanded by with what the calls of the records show.
    fileprivate func compare(_ list: Endpoint, as persona: Persona) async throws -> Proof {
        let expansions = list.operation.expansions
        let names = expansions.map(\.name).joined(separator: ",")
        let answer = try await get("\(list.path)?expand=\(names)", as: persona)
        guard answer.status == 200 else {
            // Not for them, or nothing of their own is there.
            #expect([403, 404].contains(answer.status), "\(list.path): \(answer.text)")
            return Proof()
        }
        var proof = Proof()
        for item in answer.items {
            for expansion in expansions {
                proof.add(try await compare(item, expansion, persona))
            }
        }
        return proof
    }

    private func compare(
        _ item: JSONValue, _ expansion: Expansion, _ persona: Persona
    ) async throws -> Proof {
        let path = try #require(Self.paths[expansion.component])
        let ids = (item[expansion.field]?.array ?? [item[expansion.field] ?? .null])
            .compactMap(\.text)
        let value = item["expanded"]?[expansion.name] ?? .null
        let records = value.array ?? (value.isNull ? [] : [value])
        var proof = Proof()
        for id in ids {
            let direct = try await get("/v1/\(path)/\(id)", as: persona)
            guard let record = records.first(where: { $0["id"]?.text == id }) else {
                #expect(direct.status == 404 || direct.status == 403)
                proof.hidden += 1
                continue
            }
            #expect(direct.status == 200)
            for member in record.object?.members ?? [] {
                #expect(direct.json[member.key] == member.value)
            }
        }
        proof.shown[expansion.name] = records.count
        #expect(records.count + proof.hidden == ids.count)
        return proof
    }
}
