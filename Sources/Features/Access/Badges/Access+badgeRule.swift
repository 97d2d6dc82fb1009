import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// When and from where badges sign in.
extension Access {
    var badgeRuleEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/badge-rule", "Find whether, when and from where badges sign in",
                for: [.administrator, .teacher],
                answers: [.json("As it is now.", .object(BadgeShapes.rule))],
                handler: findBadgeRule),
            Endpoint(
                .put, "/v1/badge-rule", "Set whether, when and from where badges sign in",
                description: """
                    Each change ends the sign-ins that badges began; badges stay. They sign in students who have \
                    no other role, and nobody in a school without passwords.
                    """,
                for: [.administrator], body: .json(.object(BadgeShapes.rule)),
                answers: [.json("As it is now.", .object(BadgeShapes.rule))],
                handler: setBadgeRule),
        ]
    }

    func findBadgeRule(_ request: Request, _ caller: Caller) async throws -> Response {
        let rows = try await database.query(.badgeRule(of: caller.organizationID), as: caller)
        return .json(try BadgeRule(rows[0]).json)
    }

    func setBadgeRule(_ request: Request, _ caller: Caller) async throws -> Response {
        let rule = try BadgeRule(try await request.body())
        return try await database.transaction(as: caller) { session in
            try await session.query(.set(rule))
            let rows = try await session.query(.badgeRule(of: caller.organizationID))
            return .json(try BadgeRule(rows[0]).json)
        }
    }
}

/// Whether, when and from where the badges of an organization sign in.
struct BadgeRule: Sendable {
    let isOn: Bool
    /// As PostgreSQL writes them; none means everywhere.
    let networks: [String]
    /// From 1 for Monday to 7 for Sunday.
    let days: [Int]
    /// Such as `07:30`, in the organization's time zone.
    let from: String
    let until: String

    init(_ body: Fields) throws {
        isOn = body.boolean("on") ?? false
        networks = body.texts("networks") ?? []
        days = Set((body.list("days") ?? []).compactMap { $0.int64.map(Int.init) }).sorted()
        from = body.text("from") ?? ""
        until = body.text("until") ?? ""
        for (position, network) in networks.enumerated() where !Self.isNetwork(network) {
            throw Problem.notANetwork("/networks/\(position)")
        }
        for (pointer, time) in [("/from", from), ("/until", until)] where !Self.isTime(time) {
            throw Problem.invalid(pointer, "invalid_time", "Write a time such as 07:30.")
        }
        // Both have five digits in the same places, so that their texts are in the order of the times.
        guard from < until else {
            throw Problem.invalid("/until", "invalid_time", "This has to be later than `from`.")
        }
    }

    init(_ row: Row) throws {
        isOn = try row.bool("is_on")
        networks = try row.textArray("networks")
        days = try row.intArray("days")
        from = try row.text("from")
        until = try row.text("until")
    }

    var json: JSONValue {
        [
            "on": .bool(isOn), "networks": .array(networks.map { .text($0) }),
            "days": .array(days.map { JSONValue(integerLiteral: Int64($0)) }),
            "from": .text(from), "until": .text(until),
        ]
    }

    /// Addresses of both families in one, such as `::ffff:10.0.0.1`, are written as those of the older.
    private static func isNetwork(_ text: String) -> Bool {
        AddressRange(text) != nil && !(text.contains(":") && text.contains("."))
    }

    private static func isTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ isDigit(bytes[$0]) })
        else { return false }
        return text <= "23:59" && text.dropFirst(3) <= "59" || text == "24:00"
    }
}

extension Statement {
    /// Always one row: what holds before anything was set, too.
    fileprivate static func badgeRule(of organization: OrganizationID) -> Statement {
        """
        select coalesce(r.is_on, false) as is_on, coalesce(r.networks, '{}')::text[] as networks,
               coalesce(r.days, '{1,2,3,4,5}')::bigint[] as days,
               coalesce(to_char(r.begins_at, 'HH24:MI'), '07:00') as "from",
               coalesce(to_char(r.ends_at, 'HH24:MI'), '17:00') as until
          from (values (true)) as one (row)
          left join school.badge_rule as r on r.organization_id = \(organization)
        """
    }

    fileprivate static func set(_ rule: BadgeRule) -> Statement {
        """
        select school.set_badge_rule(
                   \(rule.isOn), \(rule.networks), \(rule.days), \(rule.from), \(rule.until))
        """
    }
}
