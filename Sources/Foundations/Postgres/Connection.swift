import CLibpq
import EventLoop
import Glibc

/// One connection to PostgreSQL in pipeline mode, with the exchanges in progress on it.
///
/// Confined to its loop. It must be closed: its registration with the loop keeps it alive.
final class Connection: @unchecked Sendable {
    let loop: Loop
    let handle: OpaquePointer
    private(set) var isAlive = true
    private(set) var exchanges = Queue<Exchange>()
    private(set) var prepared: PreparedStatements

    /// Where PostgreSQL's errors are counted.
    var meters: PoolMeters?
    /// Called after each completed exchange.
    var onProgress: () -> Void = {}
    /// Called once when the connection breaks, after its exchanges have failed.
    var onLoss: (String) -> Void = { _ in }
    /// Called for each notification, before the exchange that it preceded completes.
    var onNotification: (_ channel: String, _ payload: String) -> Void = { _, _ in }
    /// Handles readiness in place of the exchanges while a COPY is in progress.
    var onReadiness: (() -> Void)?

    /// When the last exchange completed, on the loop's clock.
    private var progressAt: Int64 = 0
    /// Since when a COPY has waited for the socket, on the loop's clock.
    var copyWaitsSince: Int64?

    /// The server's last message, if it said that it ends the connection.
    private let farewell = Farewell()
    private var parameters = ParameterBuffer()
    private var registration: Registration?
    private var interest: Interest = .read

    /// Takes over an open, idle connection; closes it if it throws.
    init(_ handle: OpaquePointer, on loop: Loop, preparedLimit: Int) throws(LoopError) {
        self.loop = loop
        self.handle = handle
        prepared = PreparedStatements(limit: preparedLimit)
        PQsetnonblocking(handle, 1)
        farewell.listen(to: handle)
        PQenterPipelineMode(handle)
        do throws(LoopError) {
            registration = try loop.register(PQsocket(handle), .read) { self.ready($0) }
        } catch {
            PQfinish(handle)
            throw error
        }
    }

    /// Closes without calling `onLoss`; exchanges in progress fail.
    func close() {
        guard isAlive else { return }
        onLoss = { _ in }
        fail("closed")
    }

    // MARK: Sending

    /// Sends an exchange behind those in progress.
    func send(_ exchange: Exchange) {
        loop.preconditionCurrent()
        guard isAlive else { return exchange.complete(.connectionLost(mayHaveCommitted: false)) }
        exchange.sentAt = loop.now
        exchanges.append(exchange)
        guard queue(exchange), PQpipelineSync(handle) == 1 else {
            return fail(connectionMessage(handle))
        }
        flush()
    }

    /// Writes what is pending to the socket, and has the loop report when the socket takes more.
    func flush() {
        switch PQflush(handle) {
        case 0: watch(.read)
        case 1: watch([.read, .write])
        default: fail(connectionMessage(handle))
        }
    }

    /// Changes what the loop reports about the socket.
    func watch(_ wanted: Interest) {
        guard isAlive, wanted != interest || registration == nil else { return }
        interest = wanted
        if let registration { return registration.change(wanted) }
        do {
            registration = try loop.register(PQsocket(handle), wanted) { self.ready($0) }
        } catch {
            fail(error.description)
        }
    }

    /// Makes the loop report nothing more, not even that the peer is gone.
    func unwatch() {
        registration?.cancel()
        registration = nil
    }

    private func queue(_ exchange: Exchange) -> Bool {
        if exchange.begins {
            exchange.expectations.append(.preamble)
            guard PQsendQueryParams(handle, "begin", 0, nil, nil, nil, nil, 1) == 1 else {
                return false
            }
        }
        if !exchange.begins, !prepared.retired.isEmpty,
            PQtransactionStatus(handle) != PQTRANS_INERROR
        {
            guard deallocate(prepared.takeRetired(), for: exchange) else { return false }
        }
        if let identity = exchange.identity {
            guard queue(identity, for: exchange) else { return false }
        }
        for statement in exchange.statements {
            let use = prepared.use(statement, as: exchange.identity)
            guard queue(statement, use, for: exchange, as: Exchange.Expectation.statement) else {
                return false
            }
        }
        return true
    }

    private func queue(_ identity: Identity, for exchange: Exchange) -> Bool {
        let use = prepared.use(identity.statement, as: nil)
        guard case .ready(let entry) = use else {
            return queue(identity.statement, use, for: exchange, as: { _ in .preamble })
        }
        exchange.expectations.append(.preamble)
        let parameters = identity.parameters
        return PQsendQueryPrepared(
            handle, entry.name, parameters.count, parameters.values, parameters.lengths,
            parameters.formats, 1) == 1
    }

    private func queue(
        _ statement: Statement, _ use: PreparedStatements.Use, for exchange: Exchange,
        as expectation: (PreparedStatement?) -> Exchange.Expectation
    ) -> Bool {
        parameters.encode(statement.values)
        switch use {
        case .ready(let entry):
            exchange.expectations.append(expectation(entry))
            return queue(entry)
        case .fresh(let entry):
            exchange.expectations.append(.parse(entry))
            exchange.expectations.append(expectation(entry))
            let types = statement.values.map(\.type.oid)
            let text = statement.makeText()
            return PQsendPrepare(handle, entry.name, text, Int32(types.count), types) == 1
                && queue(entry)
        case .unnamed:
            exchange.expectations.append(expectation(nil))
            let types = statement.values.map(\.type.oid)
            let text = statement.makeText()
            return parameters.withPointers { count, values, lengths, formats in
                PQsendQueryParams(handle, text, count, types, values, lengths, formats, 1)
            } == 1
        }
    }

    private func queue(_ entry: PreparedStatement) -> Bool {
        parameters.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, entry.name, count, values, lengths, formats, 1)
        } == 1
    }

    private func deallocate(_ entries: [PreparedStatement], for exchange: Exchange) -> Bool {
        for entry in entries {
            exchange.expectations.append(.deallocation(entry))
            let text = Array("deallocate ".utf8CString.dropLast()) + entry.name
            guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 1) == 1 else {
                return false
            }
        }
        return true
    }

    // MARK: Receiving

    private func ready(_ readiness: Readiness) {
        guard isAlive else { return }
        if let onReadiness { return onReadiness() }
        if readiness.canWrite {
            flush()
            guard isAlive else { return }
        }
        // Sending may have read as well, so look for results in either case.
        let isOpen = PQconsumeInput(handle) == 1
        receive()
        guard isAlive else { return }
        if !isOpen || PQstatus(handle) != CONNECTION_OK { fail(connectionMessage(handle)) }
    }

    private func receive() {
        while isAlive, let exchange = exchanges.first, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                if exchange.advance() { continue }
                break
            }
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                PQclear(result)
                takeNotifications()
                finish(exchange)
            } else if !exchange.take(result, prepared: &prepared) {
                let isOpen = PQstatus(handle) == CONNECTION_OK
                return fail(
                    isOpen ? "an answer that belongs to no statement" : connectionMessage(handle))
            }
        }
        if isAlive { takeNotifications() }
    }

    private func finish(_ exchange: Exchange) {
        exchanges.removeFirst()
        meters?.count(exchange.failure)
        progressAt = loop.now
        if exchange.isWorthRepeating, !exchange.isRetry, exchange.commits, !exchange.begins {
            exchange.reset()
            return send(exchange)
        }
        exchange.complete()
        onProgress()
    }

    private func takeNotifications() {
        while isAlive, let notification = PQnotifies(handle) {
            let channel = String(cString: notification.pointee.relname)
            let payload = String(cString: notification.pointee.extra)
            PQfreemem(notification)
            onNotification(channel, payload)
        }
    }

    // MARK: Ending

    /// Since when the server owes an answer, and to how many statements at once.
    var silence: OwedAnswer? {
        if let oldest = exchanges.first {
            return OwedAnswer(
                since: max(oldest.sentAt, progressAt), statements: max(1, oldest.statements.count))
        }
        return copyWaitsSince.map { OwedAnswer(since: $0, statements: 1) }
    }

    /// Gives the connection up and fails the exchanges in progress. The server's own reason takes precedence
    /// over the given one.
    func fail(_ reason: String) {
        guard isAlive else { return }
        let reason = exchanges.first?.farewell ?? farewell.text ?? reason
        isAlive = false
        registration?.cancel()
        registration = nil
        let readiness = onReadiness
        onReadiness = nil
        var wasRead = true
        while let exchange = exchanges.removeFirst() {
            meters?.count(exchange.failure)
            exchange.completeLost(wasRead: wasRead)
            if exchange.sawEnd { wasRead = false }
        }
        readiness?()
        PQfinish(handle)
        let onLoss = onLoss
        self.onLoss = { _ in }
        onProgress = {}
        onNotification = { _, _ in }
        onLoss(reason)
    }
}
