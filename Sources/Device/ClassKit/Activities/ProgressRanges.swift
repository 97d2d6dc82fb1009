import ClassKitUplink

/// Progress as ranges from 0 to 1, sorted and without overlaps. Progress is their total length.
struct ProgressRanges: Equatable, Sendable {
    private(set) var ranges: [ProgressRange] = []

    var total: Double { min(1, ranges.reduce(0) { $0 + ($1.end - $1.start) }) }

    mutating func insert(_ new: ProgressRange) {
        var start = new.start
        var end = new.end
        var kept: [ProgressRange] = []
        for range in ranges {
            if range.end < start || range.start > end {
                kept.append(range)
            } else {
                start = min(start, range.start)
                end = max(end, range.end)
            }
        }
        kept.append(ProgressRange(start: start, end: end))
        ranges = kept.sorted { $0.start < $1.start }
    }
}
