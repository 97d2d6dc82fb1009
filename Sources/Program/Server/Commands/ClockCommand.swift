import JSONBytes
import Postgres
import Values

extension Subcommand {
    static let clock = Subcommand(
        "clock", "Shows what is known of the database's clock, and what is deleted if it is right.",
        options: [.json]
    ) { invocation in
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        try ClockReport(installation.connect()).print(invocation)
    }

    static let clockAccept = Subcommand(
        "clock accept",
        "Ends a jump of the database's clock: it is right, and what is due by it goes now.",
        options: [.json]
    ) { invocation in
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let connection = try installation.connect()
        let isAccepted = try connection.query("select school.accept_clock() as is_accepted")[0]
            .bool("is_accepted")
        try ClockReport(connection, isAccepted: isAccepted).print(invocation)
    }
}

/// What the clock is worth, and what goes by it.
private struct ClockReport {
    /// An organization that is deleted, or whose rules of retention remove something.
    private struct Due {
        let id: String
        let name: String
        let isWhole: Bool
        let at: Timestamp
    }

    private let clock: DatabaseClock?
    private let due: [Due]
    /// Whether a jump was accepted; `nil` if nobody asked for that.
    private let isAccepted: Bool?

    init(_ connection: BlockingConnection, isAccepted: Bool? = nil) throws {
        self.isAccepted = isAccepted
        clock = try connection.query(.clockState).first.map(DatabaseClock.init)
        due = try connection.query(
            "select organization_id, name, is_whole, due_at from school.due_by_clock()"
        ).map { row in
            Due(
                id: try row.uuid("organization_id").description, name: try row.text("name"),
                isWhole: try row.bool("is_whole"), at: try row.timestamp("due_at"))
        }
    }

    func print(_ invocation: Invocation) {
        if invocation.has("json") {
            printLine(String(decoding: json.bytes, as: UTF8.self))
        } else {
            for line in lines { printLine(line) }
        }
    }

    private var lines: [String] {
        let acceptance = isAccepted.map {
            $0
                ? "The clock is accepted: what is due by it is removed within ten minutes."
                : "The clock has not jumped; there was nothing to accept."
        }
        let state =
            clock.map { ["The database's clock says \($0.present).", $0.sentence] } ?? [
                "No server has looked at the database's clock yet: nothing is removed by time."
            ]
        let going = due.map { due in
            due.isWhole
                ? "  \(due.name) (\(due.id)) is deleted: its waiting time ended on \(due.at)."
                : "  \(due.name) (\(due.id)): its rules of retention remove old data."
        }
        return (acceptance.map { [$0] } ?? []) + state
            + [
                going.isEmpty
                    ? "By this clock no organization is deleted, and no rule of retention removes anything."
                    : "By this clock these go:"
            ] + going
    }

    private var json: JSONValue {
        var parts: [(String, JSONValue)] = []
        if let isAccepted { parts.append(("isAccepted", .bool(isAccepted))) }
        func moment(_ moment: Timestamp?) -> JSONValue {
            moment.map { .text($0.description) } ?? .null
        }
        let due = due.map { due in
            [
                "organizationId": .text(due.id), "name": .text(due.name),
                "isDeleted": .bool(due.isWhole), "dueAt": .text(due.at.description),
            ] as JSONValue
        }
        parts += [
            ("now", moment(clock?.present)), ("lookedAt", moment(clock?.lookedAt)),
            ("jumpedFrom", moment(clock?.jump?.from)), ("jumpedTo", moment(clock?.jump?.to)),
            ("needsAcceptance", .bool(clock?.needsAcceptance ?? false)),
            (
                "remainingSeconds",
                clock.map { .number(JSONNumber($0.remainingMilliseconds / 1000)) } ?? .null
            ),
            ("removesBefore", moment(clock?.removesBefore)), ("due", .array(due)),
        ]
        return .object(JSONObject(parts))
    }
}
