import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

extension TestSchool {
    /// Quizzler, as an app that people and devices hold.
    static let quizzlerID = "990011223"
    /// A book.
    static let novelID = "990011224"

    /// Mara is content manager of Hillside from now on.
    func makeMaraContentManager() throws {
        try sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            values (\(hillside), \(id(.mara)), \(mainLocation), 'contentManager')
            """)
        // Giving a role revokes every token, and hers is needed.
        try sql("update school.access_token set revoked_at = null where person_id = \(id(.mara))")
    }

    /// Quizzler, with seats at the main location.
    func buyQuizzler(_ seats: Int, as persona: Persona = .ada) async throws {
        let app = try await put(
            "/v1/apps/\(Self.quizzlerID)", as: persona,
            json: ["bundleId": .text(quizzler), "name": "Quizzler", "productType": "App"])
        #expect(app.status == 201)
        try await buy(seats, of: Self.quizzlerID)
    }

    /// The novel, with seats at the main location.
    func buyNovel(_ seats: Int) async throws {
        let app = try await put(
            "/v1/apps/\(Self.novelID)", as: .ada, json: ["name": "Novel", "productType": "Book"])
        #expect(app.status == 201)
        try await buy(seats, of: Self.novelID)
    }

    @discardableResult
    func buy(_ seats: Int, of app: String, at location: String = "source:main") async throws
        -> Answer
    {
        let answer = try await put(
            "/v1/apps/\(app)/pools/\(location)", as: .ada,
            json: ["totalCount": .number(JSONNumber(Int64(seats)))])
        #expect([200, 201].contains(answer.status))
        return answer
    }

    /// Another location of Hillside, `source:annex`.
    func addAnnex() async throws {
        let answer = try await post(
            "/v1/locations", as: .ada, json: ["name": "Annex", "sourceId": "annex"])
        #expect(answer.status == 201)
    }

    func grant(
        _ holders: JSONValue, of app: String = TestSchool.quizzlerID, as persona: Persona = .ada,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await post("/v1/apps/\(app)/licences", as: persona, json: holders, headers: headers)
    }

    func people(_ people: Persona...) -> JSONValue {
        ["personIds": .array(people.map { .text(id($0).uuid.description) })]
    }

    /// Total, assigned and available seats as an app or a pool reports them.
    func counts(_ path: String = "/v1/apps/\(TestSchool.quizzlerID)") async throws -> [Int] {
        let answer = try await get(path, as: .ada)
        #expect(answer.status == 200)
        return ["totalCount", "assignedCount", "availableCount"].map { answer.int($0) }
    }

    /// Asks again while too many others are waiting, as a client would.
    func patiently(_ ask: () async throws -> Answer) async throws -> Answer {
        while true {
            let answer = try await ask()
            guard answer.code == "busy" else { return answer }
            #expect(answer.header("retry-after") != nil)
        }
    }

    /// Pools whose count differs from their number of licences.
    func poolsThatDoNotAddUp() throws -> Int {
        try sql(
            """
            select from school.pool as p
             where p.assigned_count <> (select count(*) from school.licence as l
                                         where l.organization_id = p.organization_id
                                           and l.adam_id = p.adam_id and l.location_id = p.location_id)
            """
        ).count
    }

    /// Everyone in the details of the events of a kind, oldest first.
    func details(of kind: String) throws -> [JSONValue] {
        try sql(
            """
            select details::text as details from school.audit_event
             where kind = \(kind) order by arrived_at, event_id
            """
        ).map { try JSONValue(parsing: Array($0.text("details").utf8)) }
    }
}

extension Answer {
    func text(_ key: String) -> String? { json[key]?.text }
    func int(_ key: String) -> Int { json[key]?.int64.map { Int($0) } ?? -1 }

    /// Whose licences were granted or stay, by outcome.
    func holders(_ outcome: String) -> Set<String> {
        Set(
            items.filter { $0["outcome"]?.text == outcome }.compactMap {
                $0["personId"]?.text ?? $0["serialNumber"]?.text
            })
    }
}
