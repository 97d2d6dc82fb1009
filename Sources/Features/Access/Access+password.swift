import API
import EventLoop
import HTTPServer
import JSONBytes
import Postgres
import School
import Values

extension Access {
    func me(_ request: Request, _ caller: Caller) async throws -> Response {
        let standings = caller.standings.map(\.rawValue)
        return try .object(
            await database.query(.me(standings: standings, token: request.bearer), as: caller))
    }

    /// Changes the caller's password. Ten wrong current passwords end the sign-in; otherwise a stolen token could be
    /// used to guess the password.
    func changePassword(_ request: Request, _ caller: Caller) async throws -> Response {
        request.waitForHashing()
        if caller.app != nil, !caller.mustChangePassword { throw Problem.appsOwnNoPassword }
        guard let token = request.bearer else { throw Problem.unauthenticated }
        let body = try await request.body()
        let password = body.text("password") ?? ""
        let newPassword = body.text("newPassword") ?? ""
        let row = try await database.query(.ownCredential(token), as: caller)[0]
        guard try row.bool("counts") else { throw Problem.withoutPasswords }
        guard let record = try row.optionalText("password_record") else {
            throw Problem.wrongPassword
        }
        if try row.bool("is_locked") { throw Problem.passwordLocked }
        let policy = PasswordPolicy(rawValue: try row.text("password_policy")) ?? .standard
        let ownWords = try row.textArray("own_words")
        let objection =
            policy.objection(to: newPassword)
            ?? policy.objection(to: newPassword, ownWords: ownWords)
        if let objection { throw Problem.weakPassword(objection) }
        let asker = Asker(caller)
        let compared = try await passwords.matches(password, record, for: asker, of: request.http)
        guard compared.isRight else {
            try await Loop.finish {
                _ = try await database.transaction(as: caller) { session in
                    try await session.query(.recordFailedChange(token))
                }
            }
            throw Problem.wrongPassword
        }
        guard password != newPassword else { throw Problem.samePassword }
        let newRecord = try await passwords.record(
            of: newPassword, for: asker, of: request.http)
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(.changePassword(from: record, to: newRecord, keeping: token))
        }
        guard try rows.first?.bool("is_changed") == true else { throw Problem.wrongPassword }
        return .noContent
    }

    /// Removes the notice of what others changed of the sign-in; has no effect when repeated.
    func confirmSignInChanges(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try await database.transaction(as: caller) { session in
            try await session.query(.confirmSignInChanges)
        }
        return .noContent
    }

    /// Gives a person a temporary password, and ends the person's sign-ins.
    func giveTemporaryPassword(_ request: Request, _ caller: Caller) async throws -> Response {
        request.waitForHashing()
        let reference: Reference<PersonEntity> = try request.reference("id")
        let rows = try await database.query(
            .passwordPolicy(of: reference, organizationID: caller.organizationID), as: caller)
        guard let row = rows.first else { throw Problem.notFound }
        let personID = PersonID(try row.uuid("person_id"))
        let policy = PasswordPolicy(rawValue: try row.text("password_policy")) ?? .standard
        let password = TemporaryPassword.make(policy)
        let record = try await passwords.record(of: password, for: Asker(caller))
        let expiresAt = TemporaryPassword.expiry(from: database.clock.now)
        let outcome = try await database.transaction(as: caller) { session in
            try await session.query(
                .setTemporaryPassword(of: personID, record: record, expiresAt: expiresAt))
        }
        switch try outcome.first?.text("outcome") {
        case "set":
            return .json([
                "temporaryPassword": .text(password), "expiresAt": .text(expiresAt.description),
            ])
        case "forbidden": throw Problem.forbiddenTemporaryPassword(as: caller.standing)
        case "deactivated": throw Problem.personIsDeactivated
        case "withoutPassword": throw Problem.withoutPasswords
        default: throw Problem.notFound
        }
    }
}
