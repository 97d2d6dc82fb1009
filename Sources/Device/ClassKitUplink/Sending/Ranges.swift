/// Progress as the server takes it.
enum Ranges {
    /// The largest number of ranges in one activity.
    static let limit = 10_000

    /// The union of the ranges, in order. Those that are not ranges from 0 to 1 are left out.
    static func merged(_ ranges: [ProgressRange]) -> [ProgressRange] {
        let valid = ranges.filter { $0.start >= 0 && $0.start < $0.end && $0.end <= 1 }
            .sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        var union: [ProgressRange] = []
        for range in valid {
            if let last = union.last, range.start <= last.end {
                union[union.count - 1].end = max(last.end, range.end)
            } else {
                union.append(range)
            }
        }
        return union.count > limit ? withoutSmallestGaps(union) : union
    }

    /// Joins what is closest until there are few enough.
    private static func withoutSmallestGaps(_ union: [ProgressRange]) -> [ProgressRange] {
        let gaps = union.indices.dropFirst().map {
            (gap: union[$0].start - union[$0 - 1].end, place: $0)
        }
        let closed = Set(gaps.sorted { $0 < $1 }.prefix(union.count - limit).map(\.place))
        var joined: [ProgressRange] = []
        for (place, range) in union.enumerated() {
            if closed.contains(place) {
                joined[joined.count - 1].end = range.end
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
