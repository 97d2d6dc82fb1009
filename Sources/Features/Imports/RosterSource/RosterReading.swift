import HTTPClient
import JSONBytes
import Values

/// Reads whole collections of a provider, page by page, by links or by offset.
///
/// A collection that ends early would look as if people had left. So its length is compared with what the provider
/// says, and without that it is read until a page is empty.
final class RosterReading {
    /// What is remembered of a collection, to notice that it changed meanwhile.
    struct Seen {
        /// Hashes of the ids of records that exist, and of those that are to be deleted.
        fileprivate(set) var active: Set<Int> = []
        fileprivate(set) var gone: Set<Int> = []
        /// The latest change of a record.
        fileprivate(set) var latest: (text: String, moment: Timestamp)?

        fileprivate func contains(_ hash: Int) -> Bool {
            active.contains(hash) || gone.contains(hash)
        }
    }

    private let address: RosterAddress
    private let provider: RosterProvider
    private let limits: RosterLimits
    private var records = 0
    private var pages = 0
    private var bytes = 0

    init(_ address: RosterAddress, _ provider: RosterProvider, _ limits: RosterLimits) {
        self.address = address
        self.provider = provider
        self.limits = limits
    }

    /// Reads a collection and gives each of its records that exist, each once.
    func read(_ collection: OneRosterFile, _ take: (RosterRecord) throws -> Void) throws -> Seen {
        var seen = Seen()
        var paging = Paging(first: try address.page(of: collection), collection)
        while let page = paging.next {
            let answer = try provider.get(page)
            let found = try content(of: answer, collection)
            let isRepeated = try add(found, to: &seen)
            if isRepeated {
                try paging.endAtRepetition(of: found.count)
                break
            }
            for record in found where record.isActive { try take(record) }
            try paging.advance(past: found.count, answer, at: address)
        }
        try paging.checkTotal()
        return seen
    }

    /// Whether what changed since the latest change that was read is as it was read; true if the provider cannot say.
    ///
    /// It finds records that moved past the reader: one that was added in front of those still to be read, or removed.
    func isAsRead(_ collection: OneRosterFile, _ seen: Seen) throws -> Bool {
        guard let latest = seen.latest else { return true }
        let page = try address.page(of: collection, filter: "dateLastModified>'\(latest.text)'")
        let changed: [RosterRecord]
        do {
            changed = try content(of: try provider.get(page), collection)
        } catch let failure as RosterFailure
            where failure.code == .unexpectedAnswer || failure.code == .unreachable
        {
            // Not every provider knows filters.
            return true
        }
        return changed.allSatisfy { record in
            record.isActive == seen.active.contains(record.id.hashValue)
        }
    }

    private func content(
        of answer: OutgoingAnswer, _ collection: OneRosterFile
    ) throws -> [RosterRecord] {
        pages += 1
        bytes += answer.body.count
        guard pages <= limits.pages, bytes <= limits.bytes else { throw tooMuch("pages") }
        guard answer.body.count(where: Self.beginsValue) <= RosterLimits.pageValues else {
            throw RosterFailure(
                .tooLarge,
                "A page of \(collection.rawValue) has more than \(RosterLimits.pageValues) values.")
        }
        let document: JSONValue
        do {
            document = try JSONValue(parsing: answer.body)
        } catch {
            throw RosterFailure(
                .unexpectedAnswer, "A page of \(collection.rawValue) is not JSON: \(error).")
        }
        guard let elements = document[collection.rawValue]?.array else {
            throw RosterFailure(
                .unexpectedAnswer,
                "A page has no list \(collection.rawValue). Does the URL lead to OneRoster?")
        }
        try count(elements.count)
        return try elements.map { try RosterRecord($0, in: collection) }
    }

    /// Counts records, or what a record holds that becomes a row of its own; throws if an import may not have so many.
    func count(_ more: Int) throws {
        records += more
        guard records <= limits.records else { throw tooMuch("records") }
    }

    /// Whether a value may begin behind the byte; within texts it is counted in vain.
    private static func beginsValue(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    }

    private func tooMuch(_ what: String) -> RosterFailure {
        RosterFailure(
            .tooLarge,
            "The provider sends more \(what) than one import may have: \(limits.records) records, "
                + "\(limits.pages) pages, \(limits.bytes >> 20) MiB.")
    }

    /// Whether every record of a page was on pages before; throws if only some were, because then the collection moved.
    private func add(_ page: [RosterRecord], to seen: inout Seen) throws -> Bool {
        let hashes = page.map(\.id.hashValue)
        let repeated = hashes.count(where: { seen.contains($0) })
        if repeated > 0, repeated == hashes.count { return true }
        guard repeated == 0, Set(hashes).count == hashes.count else { throw RosterChanged() }
        for (record, hash) in zip(page, hashes) {
            if record.isActive {
                seen.active.insert(hash)
            } else {
                seen.gone.insert(hash)
            }
            guard let text = record.changed, let moment = Timestamp(text) else { continue }
            if let latest = seen.latest, moment <= latest.moment { continue }
            seen.latest = (text, moment)
        }
        return false
    }
}

/// Where the pages of one collection are.
private struct Paging {
    private let first: WebAddress
    private let collection: OneRosterFile
    /// `nil` after the last page.
    private(set) var next: WebAddress?
    private var visited: Set<String>
    private var received = 0
    private var pageCount = 0
    private var firstCount = 0
    /// How many records the provider says that there are.
    private var total: Int?
    private var followsLinks = false

    init(first: WebAddress, _ collection: OneRosterFile) {
        self.first = first
        self.collection = collection
        next = first
        visited = [first.text]
    }

    mutating func advance(
        past count: Int, _ answer: OutgoingAnswer, at address: RosterAddress
    ) throws {
        received += count
        pageCount += 1
        if pageCount == 1 { firstCount = count }
        let said = answer.field("x-total-count").flatMap { Int($0) }
        if let said, let total, said != total { throw RosterChanged() }
        total = said ?? total
        let links = RosterLinks(answer.field("link"))
        followsLinks = followsLinks || links.isPaging
        if let link = links.next {
            next = try target(of: link, at: address)
        } else if followsLinks || count == 0 || total.map({ received >= $0 }) == true {
            next = nil
        } else {
            next = try address.page(of: collection, from: received)
        }
    }

    private mutating func target(of link: String, at address: RosterAddress) throws -> WebAddress {
        guard let target = address.resolve(link, from: next ?? first) else {
            throw RosterFailure(
                .unexpectedAnswer,
                "The link to the next page of \(collection.rawValue) leads to another server.")
        }
        guard visited.insert(target.text).inserted else {
            throw RosterFailure(
                .unexpectedAnswer,
                "The links between the pages of \(collection.rawValue) lead in a circle.")
        }
        return target
    }

    /// A page brought nothing new: the collection is complete if the provider always sends all of it, and asked for a
    /// page of another length.
    mutating func endAtRepetition(of count: Int) throws {
        let sendsAll =
            !followsLinks && pageCount == 1 && count == firstCount
            && count != RosterLimits.pageRecords
        guard sendsAll else {
            throw RosterFailure(
                .unexpectedAnswer,
                "The provider sends the same page of \(collection.rawValue) again and again.")
        }
        next = nil
    }

    /// Throws if the provider said that there are more records, or fewer.
    func checkTotal() throws {
        if let total, total != received { throw RosterChanged() }
    }
}
