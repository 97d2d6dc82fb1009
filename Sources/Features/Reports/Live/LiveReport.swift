import School
import Values

/// A report as one person sees it, and the answers that follow it. Confined to its loop.
final class LiveReport: @unchecked Sendable {
    /// Readers with equal keys see the same.
    struct Key: Hashable, Sendable {
        let organization: OrganizationID
        let person: PersonID?
        let handout: HandoutID
        let environment: Environment
        let languages: [String]
    }

    let key: Key
    /// The caller with whose rights the report is read.
    let caller: Caller
    var readers: [LiveReader] = []
    /// Whether it may have changed since it was read.
    var mayHaveChanged = false
    /// Whether it is being read, or waits for that.
    var isQueued = false
    /// Not read again before this moment of the loop's clock.
    var restsUntil: Int64 = 0
    /// Read again at this moment of the loop's clock even if nothing was announced.
    var readAgainAt: Int64

    init(_ key: Key, _ caller: Caller, readAgainAt: Int64) {
        self.key = key
        self.caller = caller
        self.readAgainAt = readAgainAt
    }

    func end() {
        for reader in readers { reader.end() }
    }
}
