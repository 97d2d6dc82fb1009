import Foundation

/// A save of contexts on its way.
///
/// A save that seems lost may arrive after the next one, and would put back what the app has changed since. So it is sent
/// again, with the same key and the same body, until the server has answered: from then on, whatever arrives with that
/// key changes nothing. Before, no other change of contexts leaves the device.
private struct Save: Codable {
    let key: String
    let tickets: [Ticket]
    let body: Data
}

extension Uplink {
    /// Keeps a save that is about to be sent: a process that dies now must send the same again.
    ///
    /// - Returns: its key.
    func beginSave(_ batch: [Piece], _ body: Data) async throws -> String {
        let save = Save(
            key: UUID().uuidString.lowercased(), tickets: batch.map(\.ticket), body: body)
        try await outbox.keep(JSON.encode(save), as: Self.saveState)
        return save.key
    }

    /// Says that the server has answered.
    func endSave() async throws {
        try await outbox.keep(Data(), as: Self.saveState)
    }

    /// Sends a save again whose answer never came.
    func finishSave() async throws {
        guard let kept = try await outbox.state(Self.saveState), !kept.isEmpty,
            let save = try? JSON.decode(Save.self, from: kept)
        else { return }
        let delivery = Delivery.contexts
        let answer = try await call("POST", delivery.path, body: save.body, key: save.key)
        switch answer.status {
        case 200..<300:
            let batch = save.tickets.map { Piece(ticket: $0, json: Data()) }
            try await take(answer, of: batch, delivery)
        case 409 where ["answer_withheld", "answer_not_kept"].contains(Problem(answer).code):
            // It took effect.
            try await outbox.sent(save.tickets)
        // It had no effect, and what it said is still in the queue.
        case 400, 413, 422: break
        default: throw unexpected(answer)
        }
        try await endSave()
    }

    private static let saveState = "save"
}
