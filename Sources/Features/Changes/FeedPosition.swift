import API
import Crypto
import Postgres
import School
import Values

/// How far a client has followed the changes of an organization.
struct FeedPosition: Equatable {
    /// The change that was read last, within what its transaction noted.
    struct Last: Equatable {
        let kind: String
        let id: UUID
    }

    /// Of the transaction, in the order in which they committed.
    let number: Int64
    /// `nil` for before everything that the transaction noted.
    let last: Last?

    /// Before every change that has this number or a higher one.
    init(before number: Int64) {
        self.number = number
        last = nil
    }

    /// At a change.
    init(_ row: Row) throws {
        number = Int64(try row.int("position"))
        last = Last(kind: try row.text("kind"), id: try row.uuid("id"))
    }

    fileprivate static let byteCount = 25

    /// Always of the same length: number, number of the kind, id; without an id, bytes that mean nothing and are never
    /// the same.
    fileprivate func makeBytes() -> [UInt8] {
        let kind = last.flatMap { ChangeShapes.kinds.firstIndex(of: $0.kind) }.map { $0 + 1 } ?? 0
        let id = last?.id.bytes ?? (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            + [UInt8(kind)] + id
    }

    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount,
            let id = bytes[9...].withUnsafeBytes({ UUID(bytes: $0) })
        else { return nil }
        number = bytes[..<8].reduce(0) { $0 << 8 | Int64($1) }
        let kind = Int(bytes[8])
        guard kind <= ChangeShapes.kinds.count else { return nil }
        last = kind == 0 ? nil : Last(kind: ChangeShapes.kinds[kind - 1], id: id)
    }
}

/// The changes of one organization as a client follows them.
///
/// Positions are sealed: they would show when others changed something. The seal (a synthetic initialization vector, as
/// in RFC 5297, of HMAC-SHA256) also shows whether a position is of this feed. The end looks different in each answer:
/// if it stayed the same until something changes, a teacher would see that a colleague writes a draft.
struct Feed {
    /// The position after everything that can be read now.
    let endsBefore: Int64
    private let forgottenThrough: Int64
    private let key: HMACKey

    private static let tagCount = 16

    init(_ row: Row) throws {
        endsBefore = Int64(try row.int("ends_before"))
        forgottenThrough = Int64(try row.int("forgotten_through"))
        key = HMACKey(try row.uuid("feed_id").bytes)
    }

    /// The position after everything that can be read now.
    var end: String { sealed(FeedPosition(before: endsBefore)) }

    func sealed(_ position: FeedPosition) -> String {
        let content = position.makeBytes()
        let tag = tag(of: content)
        return Base64.encodeURL(tag + masked(content, by: tag))
    }

    /// What a client sent; 400 for what no answer contained, 410 if changes after it may be missing.
    func opened(_ text: String) throws -> FeedPosition {
        guard let bytes = Base64.decodeURL(text),
            bytes.count == Self.tagCount + FeedPosition.byteCount
        else {
            throw Problem.invalidParameter("after", "This is not a position of this call.")
        }
        let tag = Array(bytes[..<Self.tagCount])
        let content = masked(Array(bytes[Self.tagCount...]), by: tag)
        guard equalInConstantTime(self.tag(of: content), tag),
            let position = FeedPosition(content), position.number > forgottenThrough
        else { throw Problem.positionForgotten }
        return position
    }

    private func tag(of content: [UInt8]) -> [UInt8] {
        Array(key.code(for: [0] + content)[..<Self.tagCount])
    }

    private func masked(_ content: [UInt8], by tag: [UInt8]) -> [UInt8] {
        zip(content, key.code(for: [1] + tag)).map { $0 ^ $1 }
    }
}

extension Problem {
    fileprivate static let positionForgotten = Problem(
        410, "position_forgotten", "Changes after this position are no longer kept.",
        detail:
            "Changes are kept for 30 days. Ask without `after` for a position, read everything that you keep a "
            + "copy of, then follow the changes from that position.")
}
