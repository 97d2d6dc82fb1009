public import Foundation

/// Names one revision of one row of a store.
public struct Ticket: Codable, Hashable, Sendable {
    /// Any text of the store's own.
    public var row: String
    /// Rises with every change of the row.
    public var revision: Int64

    /// Makes a ticket.
    public init(row: String, revision: Int64) {
        self.row = row
        self.revision = revision
    }
}

/// A record that waits to be sent.
public struct Outgoing<Record: Sendable>: Sendable {
    /// Which row it is, as it was when it was read.
    public var ticket: Ticket
    /// What to send.
    public var record: Record

    /// Makes one.
    public init(ticket: Ticket, record: Record) {
        self.ticket = ticket
        self.record = record
    }
}

/// Why the server will never take a row.
public struct Refusal: Codable, Equatable, Sendable {
    /// The row.
    public var ticket: Ticket
    /// A JSON pointer into what was sent.
    public var pointer: String
    /// For programs.
    public var code: String
    /// For people.
    public var detail: String

    /// Makes a refusal.
    public init(ticket: Ticket, pointer: String, code: String, detail: String) {
        self.ticket = ticket
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }
}

/// A page of what changed on the server.
public struct MirrorPage: Sendable {
    /// New and changed contexts.
    public var contexts: [MirroredContext]
    /// Paths of contexts that are gone.
    public var removed: [[String]]
    /// Where the next page begins, to be kept with the page under the name `Uplink.mirrorState`; `nil` for what was asked
    /// for by its path, which no list of changes has. A parent that is not there is then made up of its identifier.
    public var cursor: Data?
    /// Whether this is the first page of everything there is: clean rows that are in none of the pages are gone.
    public var isFirstOfWhole: Bool
    /// Whether the mirror is up to date after this page.
    public var isLast: Bool
    /// What `Outbox.beginReading()` returned before the first of these pages was asked for.
    public var reading: Int64

    /// Makes a page.
    public init(
        contexts: [MirroredContext], removed: [[String]], cursor: Data?, isFirstOfWhole: Bool,
        isLast: Bool, reading: Int64
    ) {
        self.contexts = contexts
        self.removed = removed
        self.cursor = cursor
        self.isFirstOfWhole = isFirstOfWhole
        self.isLast = isLast
        self.reading = reading
    }
}

/// The queue of one person at one app, as the store keeps it.
///
/// Each list has the oldest first and nothing that is quarantined. Each change is durable when its call returns. The
/// uplink makes one call at a time.
public protocol Outbox: Sendable {
    /// Whose queue this is. It never changes: another person has another store.
    var subject: String { get }

    /// The topmost removed paths: descendants go along.
    func removals(limit: Int) async throws -> [Outgoing<[String]>]
    /// New and changed contexts, parents before children. What is saved again below a removal waits for it, because it
    /// may be queued while the uplink already asks for contexts.
    func contexts(limit: Int) async throws -> [Outgoing<ContextRecord>]
    /// New, changed and removed pictures. That of a context which waits itself comes later, for the same reason: the
    /// server takes no picture of a context that it does not have.
    func thumbnails(limit: Int) async throws -> [Outgoing<ThumbnailRecord>]
    /// New and changed activities, former attempts before later ones.
    func activities(limit: Int) async throws -> [Outgoing<ActivityRecord>]
    /// Contexts whose assignments are done.
    func completions(limit: Int) async throws -> [Outgoing<CompletionRecord>]

    /// Keeps the times that are about to be sent.
    func stamp(_ stamps: [ActivityStamp]) async throws
    /// The server has these. A row that went on to another revision stays in the queue.
    func sent(_ tickets: [Ticket]) async throws
    /// The server will never take these. A later revision of the row goes into the queue again.
    func quarantine(_ refusals: [Refusal]) async throws
    /// These are too old for the server.
    func discard(_ tickets: [Ticket]) async throws

    /// A small state of the uplink's own; `nil` if there is none of the name.
    func state(_ name: String) async throws -> Data?
    /// Keeps such a state.
    func keep(_ state: Data, as name: String) async throws
    /// Says that what changed on the server is about to be read.
    ///
    /// - Returns: the number of this reading, for its pages.
    func beginReading() async throws -> Int64
    /// Takes over what changed on the server, with the cursor, in one transaction. Rows with local changes keep them,
    /// and so do rows that were sent after the reading began: the answer may be older.
    func mirror(_ page: MirrorPage) async throws
}
