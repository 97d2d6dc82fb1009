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
    /// a device from which the person signed in before bypasses the lock and the queue of strangers.
    func signIn(_ request: Request) async throws -> Response {
        request.waitForHashing()
        let body = try await request.body()
        let browser = body.fields("browser").map { Browser($0) }
        if browser != nil, body.has("bundleId") { throw Problem.browserIsNoApp }
        if body.text("bundleId")?.isNameOfTool == true { throw Problem.nameOfTool("/bundleId") }
        let address = request.http.clientAddress
        let managedID = body.text("managedId") ?? ""
        let account = managedID.lowercased()
        if let seconds = people.secondsToWait(account, now: monotonicNow) {
            throw Problem.tooManySignIns(retryAfterSeconds: seconds)
        }
        let password = body.text("password") ?? ""
        let device = DeviceSecret(sent: body.text("deviceToken"))
        let rows = try await database.query(.credential(of: managedID, at: device))
        let record = try rows.first?.text("password_record")
        let asker = Asker(
            address: address, account: account,
            isKnownDevice: try rows.first?.bool("is_known_device") ?? false)
        let isRight = try await matches(password, record, for: asker, from: address)
        let pair = TokenPair(now: database.clock.now)
        // Also asked after a wrong password, so that timing does not reveal a right guess during a lock.
        let started = try await database.transaction { session in
            try await session.query(
                .startSession(
                    organizationID: ID(try rows.first?.uuid("organization_id") ?? .v7()),
                    personID: ID(try rows.first?.uuid("person_id") ?? .v7()),
                    record: isRight ? record ?? "" : "", app: body.text("bundleId"),
                    environment: body.text("environment") ?? Environment.production.rawValue,
                    pair: pair, address: address, device: device, browser: browser))
        }
        if let first = started.first {
            people.countFailure(account, now: monotonicNow)
            try? await renewRecord(rows.first, of: password, after: first)
            return try tokens(
                pair, first, device: device.kept(try first.bool("is_known_device")),
                idleSeconds: try first.optionalInt("idle_seconds"))
        }
        addresses.countFailure(address, now: monotonicNow)
        _ = try await database.transaction { session in
            try await session.query(.recordFailedSignIn(managedID, address: address, at: device))
        }
        throw Problem.signInRefused
    }

    /// Whether the password is right. The check waits its turn, longer for a network with many wrong passwords.
    private func matches(
        _ password: String, _ record: String?, for asker: Asker, from address: String
    ) async throws -> Bool {
        if !asker.isKnown, addresses.secondsToWait(address, now: monotonicNow) != nil {
            try await slowLine.wait(asker.network)
        }
        return try await passwords.matches(password, record, for: asker)
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
