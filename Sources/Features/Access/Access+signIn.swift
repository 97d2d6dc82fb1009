import API
import Crypto
import EventLoop
import HTTPServer
import JSONBytes
import Postgres
import School
import Values

extension Access {
    /// Signs in. Every refusal asks the database the same things and hashes as much. A client that sends the secret of
    /// a device or browser in which the person signed in before bypasses the lock and the queue of strangers.
    func signIn(_ request: Request) async throws -> Response {
        request.waitForHashing()
        let tried = try SignInTry(try await request.body(), from: request.http.clientAddress)
        if let seconds = people.secondsToWait(tried.account, now: monotonicNow) {
            throw Problem.tooManySignIns(retryAfterSeconds: seconds)
        }
        let row = try await database.query(.credential(of: tried)).first
        let found = try row?.optionalUUID("person_id") == nil ? nil : row
        let record = try found?.text("password_record")
        let asker = try Self.asker(tried, row)
        let compared = try await compare(tried, record, for: asker, of: request)
        let pair = TokenPair(now: database.clock.now)
        // A wrong password counts also if the client hangs up once a right one would have been answered.
        let started = try await Loop.finish {
            try await start(tried, for: found, record: compared.isRight ? record ?? "" : "", pair)
        }
        guard let started else {
            await passwords.evenOut(compared)
            throw Problem.signInRefused
        }
        people.count(tried.account, now: monotonicNow)
        addresses.countSuccess(tried.address, now: monotonicNow)
        try? await renewRecord(found, of: tried.password, after: started)
        return try tokens(
            pair, started, device: tried.device.kept(try started.bool("is_known_device")),
            idleSeconds: try started.optionalInt("idle_seconds"))
    }

    /// Begins the session, or counts the failure.
    ///
    /// - Parameters:
    ///   - found: what the database knows of the managed ID.
    ///   - record: of the right password; empty after a wrong one. The database is asked all the same, so that timing
    ///     does not reveal a right guess during a lock.
    private func start(
        _ tried: SignInTry, for found: Row?, record: String, _ pair: TokenPair
    ) async throws -> Row? {
        let started = try await database.transaction { session in
            try await session.query(
                .startSession(
                    tried, organizationID: ID(try found?.uuid("organization_id") ?? .v7()),
                    personID: ID(try found?.uuid("person_id") ?? .v7()), record: record,
                    pair: pair))
        }
        if let row = started.first { return row }
        addresses.count(tried.address, now: monotonicNow)
        _ = try await database.transaction { session in
            try await session.query(.recordFailed(tried))
        }
        return nil
    }

    /// Whose turn the password has to wait for.
    ///
    /// - Parameter row: what the database knows about the managed ID and its domain.
    private static func asker(_ tried: SignInTry, _ row: Row?) throws -> Asker {
        let isKnownDevice = try row?.optionalBool("is_known_device") ?? false
        let column = isKnownDevice ? "organization_id" : "line_organization_id"
        return Asker(
            address: tried.address,
            organization: try row?.optionalUUID(column).map { OrganizationID($0) },
            account: tried.account, isKnownDevice: isKnownDevice)
    }

    /// Whether the password is right. The check waits its turn, longer for a network with many wrong passwords.
    private func compare(
        _ tried: SignInTry, _ record: String?, for asker: Asker, of request: Request
    ) async throws -> PasswordThreads.Comparison {
        if !asker.isKnown, addresses.secondsToWait(tried.address, now: monotonicNow) != nil {
            try await slowLine.wait(asker.network, tried.patience, of: request.http)
        }
        return try await passwords.matches(
            tried.password, record, for: asker, patience: tried.patience, of: request.http)
    }

    /// Stores the record of a right password at today's cost if its own is lower.
    ///
    /// Only after a sign-in: earlier, the time would reveal a right guess during a lock. If it fails, the next sign-in
    /// tries again. A temporary password is replaced anyway.
    private func renewRecord(
        _ found: Row?, of password: String, after started: Row
    ) async throws {
        guard let found, try !started.bool("must_change_password") else { return }
        let record = try found.text("password_record")
        guard let renewed = try await passwords.renewed(record, of: password) else { return }
        let organizationID = OrganizationID(try found.uuid("organization_id"))
        let personID = PersonID(try found.uuid("person_id"))
        _ = try await database.transaction { session in
            try await session.query(
                .renewRecord(of: personID, in: organizationID, from: record, to: renewed))
        }
    }

    /// Rotates a refresh token. If a token is used twice, two clients have it, so the sign-in ends.
    func refresh(_ request: Request) async throws -> Response {
        let token = Token(text: try await request.body().text("refreshToken") ?? "")
        let pair = TokenPair(now: database.clock.now)
        let rows = try await database.transaction { session in
            try await session.query(.rotate(token, pair: pair, address: request.http.clientAddress))
        }
        guard let row = rows.first else { throw Problem.refreshRefused }
        return try tokens(pair, row)
    }

    func signOut(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        _ = try await database.transaction { session in
            try await session.query(.signOut(token))
        }
        return .noContent
    }

    /// Answers with new tokens; an app does not learn whose they are.
    ///
    /// - Parameters:
    ///   - device: the secret that a device should send with its next sign-in; `nil` if it has it already.
    ///   - idleSeconds: how long the token of a browser lives without renewal; `nil` if it can be refreshed.
    func tokens(
        _ pair: TokenPair, _ row: Row, device: Token? = nil, idleSeconds: Int? = nil
    ) throws -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accessToken")
        writer.text(pair.access.text)
        writer.key("tokenType")
        writer.text("Bearer")
        writer.key("expiresIn")
        writer.int(idleSeconds ?? TokenPair.accessSeconds)
        if idleSeconds == nil {
            writer.key("refreshToken")
            writer.text(pair.refresh.text)
        }
        writer.key("mustChangePassword")
        writer.bool(try row.bool("must_change_password"))
        if let device {
            writer.key("deviceToken")
            writer.text(device.text)
        }
        if let subject = try row.optionalText("subject") {
            writer.key("subject")
            writer.text(subject)
        }
        if let person = try row.optionalBytes("person") {
            writer.key("person")
            writer.document(person)
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    private var monotonicNow: Int64 { Loop.current?.now ?? 0 }
}
