import JSONBytes
import Postgres
import School
import TestKit
import Values

extension TestSchool {
    @discardableResult
    func setRules(_ rules: JSONValue..., as persona: Persona = .ada) async throws -> Answer {
        try await put("/v1/retention", as: persona, json: ["rules": .array(rules)])
    }

    /// The rule of a kind as the call answers it.
    func rule(_ kind: String) async throws -> JSONValue? {
        let answer = try await get("/v1/retention", as: .ada)
        return answer.json["rules"]?.array?.first { $0["kind"]?.text == kind }
    }

    /// Lets the thirty days pass in which a new rule removes nothing.
    func waitForRules() throws {
        try sql(
            """
            update school.retention_rule
               set effective_at = effective_at - interval '31 days', set_at = set_at - interval '31 days'
            """)
    }

    /// Lets a whole night's work be done, as the server's login; returns in how many steps.
    @discardableResult
    func letNightPass(limit: Int = 1000) throws -> Int {
        try sql("delete from school.retention_night")
        try letClockProveRight()
        let connection = try BlockingConnection(ownerURL)
        let server = Identity(role: "school_server")
        var steps = 0
        for due in try connection.query("select * from school.due_removals()", as: server) {
            let id = OrganizationID(try due.uuid("organization_id"))
            var isMore = true
            while isMore {
                isMore = try connection.query(
                    "select school.remove_by_rules(\(id), \(limit)::integer) as is_more",
                    as: server)[0].bool("is_more")
                steps += 1
            }
        }
        return steps
    }

    func hold(_ subject: String, _ id: UUID, as persona: Persona = .ada) async throws -> Answer {
        try await post(
            "/v1/retention/holds", as: persona,
            json: ["\(subject)Id": .text(id.description), "reason": "An appeal."])
    }

    func age(_ persona: Persona, days: Int) throws {
        try sql(
            """
            update school.activity set arrived_at = arrived_at - make_interval(days => \(Int32(days)))
             where person_id = \(id(persona))
            """)
    }

    func count(_ statement: Statement) throws -> Int {
        try sql("select count(*) as count from (\(fragment: statement)) as found")[0].int("count")
    }

    /// Details of the events of a kind, the oldest first.
    func details(_ kind: String) throws -> [JSONValue] {
        try sql(
            """
            select details::text as details from school.audit_event
             where organization_id = \(hillside) and kind = \(kind) order by arrived_at, event_id
            """
        ).map { try JSONValue(parsing: Array($0.text("details").utf8)) }
    }
}
