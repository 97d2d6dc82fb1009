import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Access {
    /// Who may make sheets; `may_become` in SQL decides whose slips are on them.
    private static let sheetMakers: [Standing] = [
        .administrator, .siteManager, .peopleManager, .manager, .teacher,
    ]

    /// How long making a sheet may take. The worst case here is four times 250 passwords on one thread.
    private static let sheetSeconds = 180

    var sheetEndpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/sign-in-sheets",
                "Make sign-in sheets: new temporary passwords for a class or list",
                description: """
                    Everyone on the sheet gets a new temporary password and is signed out everywhere: all at \
                    once, or nobody. Of a class or location, people whose password you may not set are left out; \
                    a list that names one is refused.
                    """,
                for: Self.sheetMakers, body: .json(SignInSheetShapes.order),
                answers: [
                    .bytes(
                        "The sheet, answered once; CSV unless HTML is preferred.",
                        ["text/csv", "text/html"]
                    ).negotiated
                ],
                problems: [
                    (403, "You may not set the password of someone on the list."),
                    (406, "A sheet is CSV or HTML."),
                    (
                        409,
                        "Roles or rosters changed meanwhile; no password was set. Or it is a school without passwords "
                            + "(`without_passwords`)."
                    ),
                    (422, "The sheet would be empty or too long, or a person does not exist."),
                    (429, "Enough sheets are being made."),
                ], keys: .refused, cost: 100, handler: makeSheet)
        ]
    }

    /// Makes a sheet: finds the people, hashes their passwords outside of a transaction, and sets them all in one.
    func makeSheet(_ request: Request, _ caller: Caller) async throws -> Response {
        request.http.setDeadline(secondsFromNow: Self.sheetSeconds)
        guard let form = SheetForm(accept: request.http.headers) else {
            throw Problem.sheetNotAcceptable
        }
        let order = try SheetOrder(await request.body())
        let expiresAt = TemporaryPassword.expiry(from: database.clock.now)
        let (drafted, subject) = try await sheet(order, expiresAt, caller)
        var sheet = drafted
        let records = try await passwords.records(of: sheet.slips.map(\.password))
        let ids = sheet.slips.map(\.personID)
        let refused = try await database.transaction(as: caller) { session in
            try await session.query(
                .setTemporaryPasswords(
                    of: ids, records: records, expiresAt: expiresAt, on: subject))
        }
        guard try refused[0].bool("is_set") else { throw Problem.sheetOutdated }
        let heading = try await database.query(
            .sheetHeading(expiresAt: expiresAt, in: caller.organizationID), as: caller)
        try sheet.head(by: heading)
        return form.response(to: sheet).varying(by: "Accept")
    }

    /// The people on the sheet, each with a new password, and what the sheet is for.
    private func sheet(
        _ order: SheetOrder, _ expiresAt: Timestamp, _ caller: Caller
    ) async throws -> (sheet: SignInSheet, subject: SheetSubject) {
        var sheet = SignInSheet(expiresAt: expiresAt)
        let subject = try await subject(of: order, caller)
        sheet.title = subject.name
        let people = try await database.longQuery(
            .sheetPeople(of: subject, in: caller.organizationID), as: caller)
        if subject.isList { try order.check(people, caller.standing) }
        var isWithoutPasswords = false
        for row in people {
            let outcome = try row.optionalText("outcome")
            guard outcome == "set" else {
                sheet.leftOut += 1
                isWithoutPasswords = isWithoutPasswords || outcome == "withoutPassword"
                continue
            }
            try sheet.add(row)
        }
        guard !sheet.slips.isEmpty else {
            throw isWithoutPasswords
                ? Problem.withoutPasswords : Problem.sheetIsEmpty(order.pointer)
        }
        guard sheet.slips.count <= SignInSheet.slipsMax, people.count <= SignInSheet.peopleMax
        else { throw Problem.sheetIsTooLong(order.pointer) }
        return (sheet, subject)
    }

    /// The class or location of an order, if the caller sees it.
    private func subject(of order: SheetOrder, _ caller: Caller) async throws -> SheetSubject {
        let statement: Statement
        switch order {
        case .people(let references): return .people(references)
        case .classOf(let reference):
            statement = .sheetClass(reference, in: caller.organizationID)
        case .location(let reference):
            statement = .sheetLocation(reference, in: caller.organizationID)
        }
        guard let row = try await database.query(statement, as: caller).first else {
            throw Problem.unknownReference(order.pointer)
        }
        let (id, name) = (try row.uuid("id"), try row.text("name"))
        if case .classOf = order { return .classOf(ID(id), name: name) }
        return .location(ID(id), name: name)
    }
}
