import API
import Directory
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let termRollover = Subcommand(
        "term rollover", "Previews the change from a term to the next one, or carries it out.",
        operands: ["TERM"],
        options: [
            .optional("organization", "ID", "Whose it is; not needed where there is only one."),
            .optional("next", "TERM", "The term that begins; needed to copy classes into it."),
            .optional("grade", "FROM=TO", "Who moves up; FROM= for leavers; once for each grade."),
            .optional("copy", "WHAT", "Classes to copy: empty, withTeachers or withStudents."),
            .optional("revision", "TEXT", "Carries out the preview that printed this revision."),
            .json,
        ]
    ) { invocation in
        let order = try RolloverOrder(invocation)
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let caller = Caller(
            organizationID: try invocation.organization(of: installation), personID: nil,
            standings: [.administrator])
        let process = try InProcess(
            target: installation.databaseURL, passwordCost: invocation.settings.passwordCost,
            log: invocation.settings.commandLog)
        defer { process.close() }
        let database = process.database
        do {
            let outcome = try process.run { try await order.run(database, as: caller) }
            outcome.report(invocation)
        } catch let problem as Problem {
            throw CommandFailure(
                "Nothing was changed: "
                    + [problem.title, problem.detail].compactMap(\.self)
                    .joined(separator: " "))
        }
    }
}

extension Invocation {
    /// The organization that the command names, or the only one.
    fileprivate func organization(of installation: Installation) throws -> OrganizationID {
        if has("organization") { return OrganizationID(try uuid("organization")) }
        let only = try installation.connect().query(
            "select school.only_organization() as organization_id")
        guard let id = try only[0].optionalUUID("organization_id") else {
            throw UsageError(description: "--organization is needed where there is not just one.")
        }
        return OrganizationID(id)
    }
}

/// What a call of the command asks for.
private struct RolloverOrder: Sendable {
    let term: Reference<TermEntity>
    let wish: Rollover.Wish
    /// `nil` for a preview.
    let revision: String?

    init(_ invocation: Invocation) throws {
        term = try Self.term(invocation.operands[0], "TERM")
        let copies = invocation.value("copy").map { Rollover.Copies(rawValue: $0) }
        guard let copies = copies ?? Rollover.Copies.none else {
            throw UsageError(
                description: "--copy should be empty, withTeachers or withStudents.")
        }
        let steps = try invocation.all("grade").map(Self.step)
        guard Set(steps.map(\.from)).count == steps.count, steps.count <= 100 else {
            throw UsageError(description: "Give --grade once for each grade; 100 at most.")
        }
        let next = try invocation.value("next").map { try Self.term($0, "--next") }
        guard copies == .none || next != nil else {
            throw UsageError(description: "--copy needs --next, the term to copy into.")
        }
        wish = try Rollover.Wish(next: next, steps: steps, copies: copies)
        revision = invocation.value("revision")
    }

    private static func term(_ text: String, _ name: String) throws -> Reference<TermEntity> {
        guard let reference = Reference<TermEntity>(text) else {
            throw UsageError(description: "\(name) should be the id of a term, or source:ID.")
        }
        return reference
    }

    /// Reads `3=4`, or `10=` for leavers.
    private static func step(_ text: String) throws -> Rollover.Step {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, Shape.text(1...64).check(.text(parts[0])).isEmpty,
            parts[1].isEmpty || Shape.text(1...64).check(.text(parts[1])).isEmpty
        else {
            throw UsageError(description: "--grade should be such as 3=4, or 10= for leavers.")
        }
        return Rollover.Step(from: parts[0], to: parts[1].isEmpty ? nil : parts[1])
    }

    func run(_ database: Database, as caller: Caller) async throws -> RolloverOutcome {
        try await database.transaction(as: caller) { session in
            _ = try await session.query(.takeTimeForRollover)
            let rollover = try await Rollover(wish, from: term, of: caller.organizationID) {
                try await session.query($0)
            }
            guard let revision else { return .plan(try await plan(rollover, session)) }
            let rows = try await session.query(.rollOver(rollover, revision: revision))
            guard !rows.isEmpty else { throw Problem.rolloverChanged }
            return .done(try Self.document(rows))
        }
    }

    /// The whole plan as one page.
    private func plan(_ rollover: Rollover, _ session: Session) async throws -> JSONValue {
        let rows = try await session.query(
            .preview(rollover, after: 0, limit: 1_000_000_000, token: ""))
        return try Self.document(rows)
    }

    private static func document(_ rows: Rows) throws -> JSONValue {
        var writer = JSONWriter()
        try rows.writeJSON(row: 0, into: &writer)
        return try JSONValue(parsing: writer.bytes)
    }
}

/// What a rollover would do, or did.
private enum RolloverOutcome: Sendable {
    case plan(JSONValue)
    case done(JSONValue)

    func report(_ invocation: Invocation) {
        switch self {
        case .plan(let plan):
            if !invocation.has("json") {
                for change in plan["items"]?.array ?? [] { printLine(Self.line(of: change)) }
            }
            let counts = plan["counts"]?.object?.members.map { ($0.key, $0.value) } ?? []
            let changes = invocation.has("json") ? [("items", plan["items"] ?? .null)] : []
            invocation.report(counts + [("revision", plan["revision"] ?? .null)] + changes)
        case .done(let counts):
            invocation.report(counts.object?.members.map { ($0.key, $0.value) } ?? [])
        }
    }

    /// Such as `moveUp Sam Example, 3 to 4`.
    private static func line(of change: JSONValue) -> String {
        let names = ["name", "givenName", "familyName"].compactMap { change[$0]?.text }
        let grades = ["fromGrade", "toGrade"].compactMap { change[$0]?.text }
        let seats = ["teachers", "students"].compactMap { name in
            change[name]?.int64.map { "\($0) \(name)" }
        }
        let parts = [names.joined(separator: " "), grades.joined(separator: " to ")] + seats
        return "\(change["change"]?.text ?? "") "
            + parts.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
