import JSONBytes
import Postgres
import School
import TestKit
import Values

/// Items as apps report them.
enum Item {
    static func score(_ score: Double, of maximum: Double) -> JSONValue {
        [
            "kind": "score", "identifier": "result", "title": "Score",
            "score": JSONValue(floatLiteral: score), "maxScore": JSONValue(floatLiteral: maximum),
        ]
    }

    static func quantity(_ quantity: Double, _ identifier: String = "result") -> JSONValue {
        [
            "kind": "quantity", "identifier": .text(identifier), "title": "Hints",
            "quantity": JSONValue(floatLiteral: quantity),
        ]
    }

    static func binary(_ value: Bool) -> JSONValue {
        [
            "kind": "binary", "identifier": "result", "title": "Passed", "value": .bool(value),
            "valueType": "passFail",
        ]
    }
}

extension TestSchool {
    /// The report of a handout, as JSON.
    func report(_ handout: GivenHandout, as persona: Persona = .tom) async throws -> Answer {
        try await get("/v1/handouts/\(handout.id.uuid)/report", as: persona)
    }

    /// As if nothing had happened for hours.
    func settle() throws {
        for statement: Statement in [
            "update school.organization set updated_at = now() - interval '9 hours'",
            "update school.class set updated_at = now() - interval '9 hours'",
            "update school.person set updated_at = now() - interval '9 hours'",
            """
            update school.seat set updated_at = now() - interval '9 hours',
                   joined_at = least(joined_at, now() - interval '9 hours')
            """,
            "update school.task set updated_at = now() - interval '9 hours'",
            """
            update school.handout set updated_at = now() - interval '9 hours',
                   publish_at = least(publish_at, now() - interval '9 hours'),
                   created_at = now() - interval '10 hours'
            """,
            "update school.assignment set updated_at = now() - interval '9 hours'",
            "update school.activity_assignment set updated_at = now() - interval '9 hours'",
        ] {
            try sql("set session_replication_role = replica")
            try sql(statement)
            try sql("set session_replication_role = origin")
        }
    }

    /// One attempt with a result, that many minutes ago.
    func result(
        _ minutes: Int, progress: Double = 0.5, seconds: Double = 60, _ item: JSONValue? = nil,
        at path: [String] = TestSchool.context
    ) -> JSONValue {
        attempt(
            at: path, from: ago(minutes), to: .some(ago(minutes - 5)), seconds: seconds,
            ranges: progress > 0 ? [[0, progress]] : [], primary: item)
    }
}

extension JSONValue {
    /// The average of a task, by its index.
    func average(_ task: Int = 0) -> JSONValue { self["tasks"]?[task]?["classAverage"] ?? nil }

    /// A student's cell at a task.
    func cell(of persona: Persona, task: Int = 0) -> JSONValue {
        self["tasks"]?[task]?["students"]?.array?
            .first { $0["personId"]?.text == persona.personID.uuid.description } ?? nil
    }

    /// The codes of the notes.
    var noteCodes: [String] { (self["notes"]?.array ?? []).compactMap { $0["code"]?.text } }
}

/// What the Link field of a page names as the next one.
func nextTarget(_ page: Answer) -> String? {
    guard let link = page.header("link"), link.hasPrefix("<"), link.hasSuffix(">; rel=\"next\"")
    else { return nil }
    return String(link.dropFirst().prefix { $0 != ">" })
}

/// Whether two numbers agree except for the last digits of a sum.
func agree(_ value: JSONValue?, _ expected: Double) -> Bool {
    guard let number = value?.double else { return false }
    return abs(number - expected) < 1e-9
}
