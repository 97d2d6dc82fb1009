import Foundation

extension Uplink {
    /// Takes rows out of the queue that the server will never take.
    func refuse(_ refusals: [Refusal]) async throws {
        guard !refusals.isEmpty else { return }
        try await outbox.quarantine(refusals)
        notify(.quarantined(refusals))
    }

    /// Which of a batch an answer of 202 refuses.
    func refusals(of batch: [Piece], in answer: HTTPAnswer, _ list: String) -> [Refusal] {
        guard let refused = try? JSON.decode(Refused.self, from: answer.body).refused else {
            return []
        }
        return refused.compactMap { item in
            let piece =
                batch.first { item.id != nil && $0.id == item.id?.lowercased() }
                ?? Self.piece(at: item.pointer, in: batch, list)
            return piece.map {
                Refusal(
                    ticket: $0.ticket, pointer: item.pointer, code: item.code, detail: item.detail)
            }
        }
    }

    /// Which of a batch the pointers of a problem name; the first error of each.
    static func named(_ errors: [Problem.Invalid], in batch: [Piece], _ list: String) -> [Refusal] {
        var refusals: [Ticket: Refusal] = [:]
        for error in errors {
            guard let piece = piece(at: error.pointer ?? "", in: batch, list),
                refusals[piece.ticket] == nil
            else { continue }
            refusals[piece.ticket] = Refusal(
                ticket: piece.ticket, pointer: error.pointer ?? "", code: error.code ?? "invalid",
                detail: error.detail ?? "")
        }
        return batch.compactMap { refusals[$0.ticket] }
    }

    /// The piece in a pointer such as `/contexts/3/title`.
    private static func piece(at pointer: String, in batch: [Piece], _ list: String) -> Piece? {
        let steps = pointer.split(separator: "/")
        guard steps.count > 1, steps[0] == list, let index = Int(steps[1]),
            batch.indices.contains(index)
        else { return nil }
        return batch[index]
    }

    func refusal(_ ticket: Ticket, _ answer: HTTPAnswer) -> Refusal {
        let problem = Problem(answer)
        let first = problem.errors?.first
        return Refusal(
            ticket: ticket, pointer: first?.pointer ?? "",
            code: first?.code ?? problem.code ?? "\(answer.status)",
            detail: first?.detail ?? problem.detail ?? problem.title
                ?? "The server answered \(answer.status).")
    }

    /// An answer that says nothing about what was sent, such as one of a server that is not Homeroom.
    func unexpected(_ answer: HTTPAnswer) -> Obstacle {
        .pause(
            reason: "The server answered \(answer.status), which is unexpected.", retryAfter: nil)
    }

    /// A path as the server reads it from a query.
    static func text(_ path: [String]) -> String {
        (try? JSON.encode(path)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }

    /// What a picture is, by its first bytes.
    static func mediaType(_ image: Data?) -> String {
        image?.starts(with: [0xFF, 0xD8]) == true ? "image/jpeg" : "image/png"
    }

    private struct Refused: Decodable {
        struct Item: Decodable {
            let id: String?
            let pointer: String
            let code: String
            let detail: String
        }

        let refused: [Item]
    }
}
