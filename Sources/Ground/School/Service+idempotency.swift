import API
import Crypto
import HTTPServer
import Postgres

extension Service {
    /// Runs the call, once per idempotency key if it has one.
    func act(_ endpoint: Endpoint, _ request: Request, _ caller: Caller) async throws -> Response {
        let key =
            endpoint.operation.keys == .honoured ? try IdempotencyKey(request.http.headers) : nil
        if let receive = endpoint.receive {
            let received = try await receive(request)
            guard let key else { return try await received.act(caller) }
            let call = KeyedCall(request, caller, key, body: received.digest)
            return try await once(call) { try await received.act(caller) }
        }
        guard let handler = endpoint.handler else { throw Problem.notFound }
        guard let key else { return try await handler(request, caller) }
        // Before the transaction begins, so that no connection waits for a slow client.
        let body = try await request.http.body.preview(upTo: 1 << 20)
        let call = KeyedCall(request, caller, key, body: SHA256.digest(body))
        return try await once(call) { try await handler(request, caller) }
    }

    /// Runs a call and the claim of its key in one transaction, or returns the answer stored for the key.
    ///
    /// If the call has no effect (an answer other than 2xx, a failure, a client that disconnects), no trace of the
    /// key is left.
    private func once(
        _ call: KeyedCall, _ handler: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await runningCalls.alone(call) {
                try await database.openTransaction(as: call.caller) { open in
                    if let answer = try await claim(call, open.session) {
                        return try answer.replayed()
                    }
                    let response = try await handler()
                    guard (200...299).contains(response.status) else { throw NoEffect(response) }
                    try open.check()
                    try await open.session.query(.keep(KeptAnswer(response), to: call))
                    return response
                }
            }
        } catch let refusal as NoEffect {
            return refusal.response
        } catch PostgresError.connectionLost(mayHaveCommitted: true) {
            throw Problem.outcomeUnknownWithKey
        }
    }

    /// Claims the key for this transaction; returns the stored answer if another call had it.
    private func claim(_ call: KeyedCall, _ session: Session) async throws -> KeptAnswer? {
        do {
            let results = try await session.query([
                .waitBriefly, .claim(call), .waitAsUsual, .keptAnswer(to: call),
            ])
            if results[1].count == 1 { return nil }
            guard let first = results[3].first else { throw Problem.idempotencyKeyInUse }
            guard try first.bytes("request_digest") == call.digest.bytes else {
                throw Problem.idempotencyKeyReused
            }
            guard try first.bool("is_in_sight") else { throw Problem.answerWithheld }
            return try KeptAnswer(first)
        } catch let error as PostgresError where error.sqlState == "55P03" {
            throw Problem.idempotencyKeyInUse
        }
    }
}

/// An answer that says that nothing was done; thrown to roll back.
private struct NoEffect: Error {
    let response: Response

    init(_ response: Response) {
        self.response = response
    }
}
