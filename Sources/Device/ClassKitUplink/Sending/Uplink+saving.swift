import Foundation

/// A change of contexts or their pictures on its way.
///
/// One that seems lost may arrive after the next one, and would put back what the app has changed since. So it is sent
/// again, with the same key and the same body, until the server has answered: from then on, whatever arrives with that
/// key changes nothing. Before, no other change of contexts leaves the device.
struct ContextChange: Codable {
    enum Kind: String, Codable {
        case save, removal, picture, pictureRemoval
    }

    let key: String
    let tickets: [Ticket]
    /// Empty for what is removed.
    let body: Data
    /// `nil` is a save, as earlier versions kept it.
    private let kind: Kind?
    /// The context; `nil` for a save, which names its own.
    private let path: [String]?

    init(_ kind: Kind, _ tickets: [Ticket], at path: [String]? = nil, body: Data = Data()) {
        key = UUID().uuidString.lowercased()
        self.tickets = tickets
        self.body = body
        self.kind = kind
        self.path = path
    }

    var isSave: Bool { (kind ?? .save) == .save }

    fileprivate func send(with uplink: Uplink) async throws -> HTTPAnswer {
        let query = path.map { [("path", Uplink.text($0))] } ?? []
        let pictures = "/v1/me/contexts/thumbnail"
        switch kind ?? .save {
        case .save:
            return try await uplink.call("POST", Delivery.contexts.path, body: body, key: key)
        case .removal:
            return try await uplink.call("DELETE", "/v1/me/contexts", query: query, key: key)
        case .picture:
            return try await uplink.call(
                "PUT", pictures, query: query, body: body,
                contentType: Uplink.mediaType(body), key: key)
        case .pictureRemoval:
            return try await uplink.call("DELETE", pictures, query: query, key: key)
        }
    }

    /// Answers after which the server has what it should have.
    var alsoFine: Set<Int> { kind == .removal || kind == .pictureRemoval ? [404] : [] }

    /// Answers that say that it will never be taken. The server takes no picture of a context that it does not have, or
    /// one too many.
    var refusing: Set<Int> {
        kind == .picture ? [400, 404, 409, 413, 422] : [400, 413, 422]
    }
}

extension Uplink {
    /// Sends a change, and keeps it until `end` says that the server has answered: a process that dies now must send the
    /// same again.
    func begin(_ change: ContextChange) async throws -> HTTPAnswer {
        try await outbox.keep(JSON.encode(change), as: Self.changeState)
        return try await change.send(with: self)
    }

    /// Says that the server has answered.
    func endChange() async throws {
        try await outbox.keep(Data(), as: Self.changeState)
    }

    /// Sends a change again whose answer never came.
    func finishChange() async throws {
        guard let kept = try await outbox.state(Self.changeState), !kept.isEmpty,
            let change = try? JSON.decode(ContextChange.self, from: kept)
        else { return }
        let answer = try await change.send(with: self)
        let code = answer.status == 409 ? Problem(answer).code : nil
        switch answer.status {
        case 200..<300 where change.isSave:
            let batch = change.tickets.map { Piece(ticket: $0, json: Data()) }
            try await take(answer, of: batch, .contexts)
        case 200..<300,
            _ where change.alsoFine.contains(answer.status):
            try await outbox.sent(change.tickets)
        case 409 where ["answer_withheld", "answer_not_kept"].contains(code):
            // It took effect.
            try await outbox.sent(change.tickets)
        case 409 where code == "idempotency_key_in_use": throw unexpected(answer)
        // It had no effect, and what it said is still in the queue.
        case _ where change.refusing.contains(answer.status): break
        default: throw unexpected(answer)
        }
        try await endChange()
    }

    /// As earlier versions called it, when saves alone had keys.
    private static let changeState = "save"
}
