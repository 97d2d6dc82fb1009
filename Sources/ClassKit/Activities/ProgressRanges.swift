/// Progress as ranges from 0 to 1, sorted and without overlaps. Progress is their total length.
struct ProgressRanges: Equatable, Sendable {
    struct Range: Equatable, Sendable {
        let start: Double
        let end: Double
    }

    private(set) var ranges: [Range] = []

    var total: Double { min(1, ranges.reduce(0) { $0 + ($1.end - $1.start) }) }

    mutating func insert(_ new: Range) {
        var start = new.start
        var end = new.end
        var kept: [Range] = []
        for range in ranges {
            if range.end < start || range.start > end {
                kept.append(range)
            } else {
                start = min(start, range.start)
                end = max(end, range.end)
            }
        }
        kept.append(Range(start: start, end: end))
        ranges = kept.sorted { $0.start < $1.start }
    }
}
