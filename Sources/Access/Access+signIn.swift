import Crypto
import EventLoop
import HTTPServer
import JSONBytes
import Postgres
import School
import Values

extension Access {
    /// Signs in. Every refusal asks the database the same things and hashes once.
    func signIn(_ request: Request) async throws -> Response {
        let body = try await request.body()
        let address = request.http.clientAddress
        if let seconds = addresses.secondsToWait(address, now: monotonicNow) {
            throw Problem.tooManyTries(retryAfterSeconds: seconds)
        }
        let managedID = body.text("managedId") ?? ""
        if let seconds = people.secondsToWait(managedID.lowercased(), now: monotonicNow) {
            throw Problem.tooManySignIns(retryAfterSeconds: seconds)
        }
        let password = body.text("password") ?? ""
        let rows = try await database.query(.credential(of: managedID))
        let record = try rows.first?.text("password_record")
        let matches = try await passwords.matches(password, record)
        let pair = TokenPair(now: Clock.now)
        // Asked in vain after a wrong password: else the time would tell whoever guesses during a lock
        // that the password was right.
        let started = try await database.transaction { session in
            try await session.query(
                .startSession(
                    organizationID: ID(try rows.first?.uuid("organization_id") ?? .v7()),
                    personID: ID(try rows.first?.uuid("person_id") ?? .v7()),
                    record: matches ? record ?? "" : "", app: body.text("bundleId"),
                    environment: body.text("environment") ?? Environment.production.rawValue,
                    pair: pair, address: address))
        }
        if let first = started.first {
            people.countFailure(managedID.lowercased(), now: monotonicNow)
            return try tokens(pair, first)
        }
        addresses.countFailure(address, now: monotonicNow)
        _ = try await database.transaction { session in
            try await session.query(.recordFailedSignIn(managedID, address: address))
        }
        throw Problem.signInRefused
    }

    /// Rotates a refresh token. One that comes a second time is held by two, and ends the sign-in.
    func refresh(_ request: Request) async throws -> Response {
        let token = Token(text: try await request.body().text("refreshToken") ?? "")
        let pair = TokenPair(now: Clock.now)
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

    /// Answers new tokens; an app is not told whose they are.
    private func tokens(_ pair: TokenPair, _ row: Row) throws -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accessToken")
        writer.text(pair.access.text)
        writer.key("tokenType")
        writer.text("Bearer")
        writer.key("expiresIn")
        writer.int(TokenPair.accessSeconds)
        writer.key("refreshToken")
        writer.text(pair.refresh.text)
        writer.key("mustChangePassword")
        writer.bool(try row.bool("must_change_password"))
        if let person = try row.optionalBytes("person") {
            writer.key("person")
            writer.document(person)
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    private var monotonicNow: Int64 { Loop.current?.now ?? 0 }
}
