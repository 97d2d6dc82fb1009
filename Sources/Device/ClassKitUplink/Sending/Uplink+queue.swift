import Foundation

/// Something that waits to be sent, as JSON.
struct Piece {
    let ticket: Ticket
    let json: Data
    /// What the server calls it when it refuses it.
    var id: String?
}

/// A list of things in one body.
struct Delivery {
    let path: String
    /// The name of the list.
    let list: String
    /// Whether each body says by the device's clock when it was sent, for the server to correct the times.
    var saysSending = false
    /// Whether one that arrives late must change nothing any more.
    var isInOrder = false

    /// Contexts that an app saved: the last save wins.
    static let contexts = Delivery(path: "/v1/me/contexts", list: "contexts", isInOrder: true)

    func body(_ pieces: [Piece], sentAt: Date) -> Data {
        var body = Data("{".utf8)
        if saysSending { body += Data("\"sentAt\":\"\(JSON.text(sentAt))\",".utf8) }
        body += Data("\"\(list)\":[".utf8)
        body += Data(pieces.map(\.json).joined(separator: Data(",".utf8)))
        body += Data("]}".utf8)
        return body
    }
}

extension Uplink {
    /// The server takes 1 MiB; this leaves room for what surrounds the pieces.
    private static let largestBody = 1_000_000

    /// Sends the queue in its order. A row is sent at most once: what changes meanwhile is for the next pass.
    func sendQueue() async throws {
        do {
            try await finishChange()
            try await sendRemovals()
            try await each({ try await outbox.contexts(limit: 200) }) { batch in
                try await deliver(pieces(batch) { ($0, nil) }, .contexts)
            }
            try await sendThumbnails()
            try await each({ try await outbox.activities(limit: 500) }, sendActivities)
            try await sendCompletions()
        } catch {
            try await keepClock()
            throw error
        }
        try await keepClock()
    }

    /// Goes through a list of the outbox until nothing new is in it.
    func each<Record>(
        _ list: () async throws -> [Outgoing<Record>],
        _ send: ([Outgoing<Record>]) async throws -> Void
    ) async throws {
        var seen: Set<String> = []
        while true {
            let batch = try await list().filter { seen.insert($0.ticket.row).inserted }
            if batch.isEmpty { return }
            try await send(batch)
        }
    }

    /// The JSON of records. What has none, such as a number that is not finite, is put into quarantine.
    func pieces<Record, Sent: Encodable>(
        _ batch: [Outgoing<Record>], _ make: (Record) -> (sent: Sent, id: String?)
    ) async throws -> [Piece] {
        var pieces: [Piece] = []
        for item in batch {
            let (sent, id) = make(item.record)
            if let json = try? JSON.encode(sent) {
                pieces.append(Piece(ticket: item.ticket, json: json, id: id))
            } else {
                try await refuse([
                    Refusal(
                        ticket: item.ticket, pointer: "", code: "not_encodable",
                        detail: "A number of it is not finite.")
                ])
            }
        }
        return pieces
    }

    /// Sends pieces in bodies of a size that the server takes.
    func deliver(_ pieces: [Piece], _ delivery: Delivery) async throws {
        var rest = pieces[...]
        while !rest.isEmpty {
            var bytes = 0
            let fitting = rest.prefix { piece in
                bytes += piece.json.count + 1
                return bytes <= Self.largestBody
            }
            let batch = Array(fitting.isEmpty ? rest.prefix(1) : fitting)
            rest = rest.dropFirst(batch.count)
            try await post(batch, delivery)
        }
    }

    private func post(_ batch: [Piece], _ delivery: Delivery) async throws {
        let body = delivery.body(batch, sentAt: clock.now.wall)
        let save =
            delivery.isInOrder
            ? ContextChange(.save, batch.map(\.ticket), body: body) : nil
        let answer: HTTPAnswer
        if let save {
            answer = try await begin(save)
        } else {
            answer = try await call("POST", delivery.path, body: body)
        }
        if (200..<300).contains(answer.status) { try await take(answer, of: batch, delivery) }
        if save != nil, answer.status < 300 || [400, 413, 422].contains(answer.status) {
            try await endChange()
        }
        switch answer.status {
        case 200..<300: return
        case 413: try await halve(batch, delivery, answer)
        case 400, 422:
            let named = Self.named(Problem(answer).errors ?? [], in: batch, delivery.list)
            if named.isEmpty { return try await halve(batch, delivery, answer) }
            try await refuse(named)
            let tickets = Set(named.map(\.ticket))
            let rest = batch.filter { !tickets.contains($0.ticket) }
            if !rest.isEmpty { try await post(rest, delivery) }
        default: throw unexpected(answer)
        }
    }

    /// Takes what the server has out of the queue, and what it will never take.
    func take(_ answer: HTTPAnswer, of batch: [Piece], _ delivery: Delivery) async throws {
        let refused = refusals(of: batch, in: answer, delivery.list)
        try await refuse(refused)
        let tickets = Set(refused.map(\.ticket))
        try await outbox.sent(batch.map(\.ticket).filter { !tickets.contains($0) })
    }

    /// Finds out which of them the server does not take.
    private func halve(_ batch: [Piece], _ delivery: Delivery, _ answer: HTTPAnswer) async throws {
        guard batch.count > 1 else {
            return try await refuse([refusal(batch[0].ticket, answer)])
        }
        let middle = batch.count / 2
        try await post(Array(batch[..<middle]), delivery)
        try await post(Array(batch[middle...]), delivery)
    }

    // MARK: One call for each

    private func sendRemovals() async throws {
        try await each({ try await outbox.removals(limit: 200) }) { batch in
            for item in batch {
                try await make(ContextChange(.removal, [item.ticket], at: item.record))
            }
        }
    }

    private func sendThumbnails() async throws {
        try await each({ try await outbox.thumbnails(limit: 20) }) { batch in
            for item in batch {
                let path = item.record.identifierPath
                try await make(
                    item.record.image.map {
                        ContextChange(.picture, [item.ticket], at: path, body: $0)
                    } ?? ContextChange(.pictureRemoval, [item.ticket], at: path))
            }
        }
    }

    /// Sends a change of one row.
    private func make(_ change: ContextChange) async throws {
        let answer = try await begin(change)
        try await settle(
            change.tickets[0], answer, alsoFine: change.alsoFine, refusing: change.refusing)
        try await endChange()
    }

    private func sendCompletions() async throws {
        try await each({ try await outbox.completions(limit: 200) }) { batch in
            for item in try await fresh(batch, { $0.queuedAt }) {
                let body = try JSON.encode(["identifierPath": item.record.identifierPath])
                let answer = try await call("POST", "/v1/me/completions", body: body)
                try await settle(item.ticket, answer)
            }
        }
    }

    private func settle(
        _ ticket: Ticket, _ answer: HTTPAnswer, alsoFine: Set<Int> = [], refusing: Set<Int> = []
    ) async throws {
        if (200..<300).contains(answer.status) || alsoFine.contains(answer.status) {
            try await outbox.sent([ticket])
        } else if refusing.union([400, 413, 422]).contains(answer.status) {
            try await refuse([refusal(ticket, answer)])
        } else {
            throw unexpected(answer)
        }
    }
}
