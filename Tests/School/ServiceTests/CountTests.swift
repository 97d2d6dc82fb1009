import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Server
import TestKit
import Testing
import Values

/// No number that somebody sees who may not see *who* can be cut into persons.
///
/// Two schools differ only in what such people may not know: which students a handout chose, and who did how much. Each
/// of them makes every write that his or her standing has, in both schools alike, and reads every number before and
/// after each: they are the same in both.
@Suite struct Counts {
    private static let adamID = "990011223"
    /// They learn nothing of handouts and progress, whatever they do.
    private static let askers: [Persona] = [.ada, .petra, .mara, .provisioner]
    /// End the own token, sign somebody in, or delete what was counted: nobody tries that on one student after another.
    private static let left = [
        "/v1/sign-out", "/v1/sign-in", "/v1/me", "/oauth/", "/v1/development", "/docs", "/openapi",
        "/v1/people/{id}/sessions", "/v1/people/{id}/temporary-password", "/v1/sign-in-sheets",
        "/v1/people/{id}/erasure", "/v1/people/{id}/progress-pause",
    ]
    /// How long something took, and what an order of one person's archive says of it, which rule 5 excepts.
    private static let passing: Set<String> = ["milliseconds", "bytes"]

    /// - Parameter busy: who was chosen, and did more than the other.
    private func fill(_ school: TestSchool, busy: Persona) async throws {
        let idle: Persona = busy == .sam ? .sue : .sam
        for name in ["Nina", "Nora", "Nils"] {
            let made = try await school.post(
                "/v1/people", as: .ada,
                json: [
                    "givenName": .text(name), "familyName": "New",
                    "roles": [["role": "student", "locationId": "source:main"]],
                ])
            try #require(made.status == 201, "\(made.text)")
            let seat = try await school.put(
                "/v1/classes/\(school.biology.uuid)/students/\(made.json["id"]?.text ?? "")",
                as: .ada)
            try #require(seat.status < 300, "\(seat.text)")
        }
        let app = try await school.put(
            "/v1/apps/\(Self.adamID)", as: .ada,
            json: ["bundleId": .text(school.quizzler), "name": "Quizzler", "productType": "App"])
        try #require(app.status == 201)
        let pool = try await school.put(
            "/v1/apps/\(Self.adamID)/pools/source:main", as: .ada, json: ["totalCount": 20])
        try #require(pool.status == 201)
        _ = try school.newHandout(path: ["everybody"], bundle: "org.example.other")
        _ = try school.newHandout(to: [busy])
        _ = try school.newHandout(path: ["other"], to: [busy])
        _ = try school.newHandout(path: ["idle"], to: [idle], bundle: "org.example.third")
        for _ in 1...5 {
            try await school.upload(
                [school.attempt()], as: busy == .sam ? .samsApp : .suesApp)
        }
        #expect(try school.storedCount(of: busy) == 5 && school.storedCount(of: idle) == 0)
        try school.sql("update school.activity set arrived_at = arrived_at - interval '800 days'")
        let rules = try await school.put(
            "/v1/retention", as: .ada, json: ["rules": [["kind": "activities", "years": 2]]])
        try #require(rules.status == 200, "\(rules.text)")
    }

    private func filled(_ path: String, for student: Persona, _ school: TestSchool) -> String {
        var parts: [String] = []
        for part in path.split(separator: "/").map(String.init) {
            switch (parts.last, part) {
            case ("people", "{id}"), (_, "{personId}"):
                parts.append(student.personID.uuid.description)
            case ("classes", "{id}"), (_, "{classId}"):
                parts.append(school.biology.uuid.description)
            case ("locations", "{id}"), (_, "{locationId}"): parts.append("source:main")
            case (_, "{adamId}"): parts.append(Self.adamID)
            case (_, _) where part.hasPrefix("{"):
                parts.append(TestIDs.elsewhereClass.uuid.description)
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Bodies that do something to the student, where the example of the API document would not.
    private func bodies(for student: Persona) -> [String: JSONValue] {
        let id = JSONValue.text(student.personID.uuid.description)
        return [
            "POST /v1/apps/{adamId}/licences": ["personIds": [id]],
            "POST /v1/apps/{adamId}/licence-returns": ["personIds": [id]],
            "POST /v1/retention/holds": ["personId": id, "reason": "A question"],
            "PUT /v1/retention": ["rules": [["kind": "activities", "days": 40]]],
            "PUT /v1/classes/{id}/students": ["personIds": [id]],
        ]
    }

    /// Every number in what a persona can read, each with where it stands.
    private func numbers(_ persona: Persona, _ school: TestSchool) async throws -> [String] {
        var found: [String] = []
        for endpoint in school.features.flatMap(\.endpoints)
        where endpoint.method == .get && !Self.left.contains(where: endpoint.path.hasPrefix) {
            let path = filled(endpoint.path, for: .sam, school)
            // All of the trail: what is left out below must not push others off the page.
            let query = path == "/v1/audit-events" ? "?limit=1000" : ""
            let answer = try await school.get(path + query, as: persona)
            guard answer.status == 200, let document = try? JSONValue(parsing: answer.body) else {
                found.append("\(path): \(answer.status)")
                continue
            }
            collect(document, at: path, into: &found)
        }
        return found
    }

    private func collect(_ value: JSONValue, at place: String, into found: inout [String]) {
        if let number = value.int64 { found.append("\(place)=\(number)") }
        // How often the asker was refused is noted a minute later, by the clock.
        let items = (value.array ?? []).filter { $0["kind"] != "denial" }
        for (index, item) in items.enumerated() {
            collect(item, at: "\(place)[\(index)]", into: &found)
        }
        for member in value.object?.members ?? [] where !Self.passing.contains(member.key) {
            collect(member.value, at: "\(place).\(member.key)", into: &found)
        }
    }

    /// What the asker sees in a school in which that student was chosen, after each write that was done.
    private func sight(of asker: Persona, busy: Persona) async throws -> [(String, [String])] {
        var seen: [(String, [String])] = []
        try await withSchool { school in
            try await fill(school, busy: busy)
            seen.append(("at first", try await numbers(asker, school)))
            for student in [Persona.sam, .sue] {
                let bodies = bodies(for: student)
                for endpoint in school.features.flatMap(\.endpoints)
                where endpoint.method != .get && !Self.left.contains(where: endpoint.path.hasPrefix)
                {
                    let call = "\(endpoint.method.name) \(endpoint.path)"
                    var body = bodies[call]
                    if body == nil, case .json(let shape) = endpoint.operation.body {
                        body = shape.example(from: APIDescription.homeroom.examples)
                    }
                    let answer = try await school.send(
                        endpoint.method, filled(endpoint.path, for: student, school), as: asker,
                        body: body?.bytes ?? [])
                    guard (200..<300).contains(answer.status) else {
                        seen.append((call, ["\(answer.status)"]))
                        continue
                    }
                    seen.append(("\(call) \(student)", try await numbers(asker, school)))
                }
            }
        }
        return seen
    }

    @Test(arguments: askers)
    func `numbers are the same whichever student was chosen or did something`(
        asker: Persona
    ) async throws {
        let first = try await sight(of: asker, busy: .sam)
        let second = try await sight(of: asker, busy: .sue)
        #expect(first.map { $0.0 } == second.map { $0.0 }, "the same writes are done")
        for (one, other) in zip(first, second) {
            let differing = Set(one.1).symmetricDifference(other.1).sorted()
            #expect(differing.isEmpty, "after \(one.0)")
        }
        if asker == .ada {
            let all = first.flatMap { $0.1 }
            #expect(all.contains { $0.hasSuffix("waitingCount=5") }, "there is something to cut")
            #expect(all.contains { $0.hasSuffix("going=100") })
            #expect(
                first.filter { $0.0 != "at first" && $0.1.count > 10 }.count > 20,
                "writes were done")
        }
    }
}
