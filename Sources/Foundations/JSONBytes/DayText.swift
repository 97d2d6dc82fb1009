import Values

/// Caches the text of a moment's day for the next moment: computing the date costs more than the rest of
/// formatting a moment.
package struct DayText: Sendable {
    private static let length: Int64 = 86_400_000
    /// When the day began, in milliseconds since 1970.
    private var start = Int64.min
    /// `YYYY-MM-DD`
    private var first: UInt64 = 0
    private var last: UInt16 = 0

    init() {}

    /// Moves to the day of a moment and returns how many milliseconds of that day had passed.
    mutating func move(to moment: Timestamp) -> UInt32 {
        let rest = moment.milliseconds &- start
        if UInt64(bitPattern: rest) < UInt64(Self.length) {
            return UInt32(truncatingIfNeeded: rest)
        }
        let shifted = moment.milliseconds - (moment.milliseconds < 0 ? Self.length - 1 : 0)
        let days = shifted / Self.length
        start = days &* Self.length
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 10) { text in
            guard let cursor = text.baseAddress else { return }
            JSONText.copyDate(Day(daysSince1970: Int(days)), to: cursor)
            let raw = UnsafeRawPointer(cursor)
            first = raw.loadUnaligned(as: UInt64.self)
            last = raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
        }
        return UInt32(truncatingIfNeeded: moment.milliseconds &- start)
    }

    func copy(to cursor: JSONText.Cursor) {
        let raw = UnsafeMutableRawPointer(cursor)
        raw.storeBytes(of: first, as: UInt64.self)
        raw.storeBytes(of: last, toByteOffset: 8, as: UInt16.self)
    }
}
