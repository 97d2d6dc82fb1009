/// Figures as other programs report them, turned into ours. One rule each, so that every way in takes the same figure in
/// the same way; what is no figure is left out, and the rest of a report stays.
package enum UsualFigure {
    /// Other figures than 0 have at least this size: smaller ones cannot be divided by.
    package static let smallest = 1e-9
    /// The largest size of a figure: larger ones cannot be added up.
    package static let largest = 1e12

    /// A score that begins at 0, and its maximum; `nil` where there is nothing to score. What is below `least` counts as
    /// that, and what is above `most` as that.
    package static func score(
        _ raw: Double, from least: Double = 0, to most: Double
    ) -> (score: Double, maximum: Double)? {
        let maximum = most - least
        guard raw.isFinite, maximum.isFinite, (smallest...largest).contains(maximum) else {
            return nil
        }
        let score = min(max(raw, least), most) - least
        return (score < smallest ? 0 : score, maximum)
    }

    /// A quantity; `nil` if it is too large to be one.
    package static func quantity(_ raw: Double) -> Double? {
        guard raw.isFinite, abs(raw) <= largest else { return nil }
        return abs(raw) < smallest ? 0 : raw
    }

    /// A share of a whole, from 0 to 1. Sums of tenths end a hair above it; `nil` for what is no share.
    package static func share(_ value: Double, of whole: Double = 1) -> Double? {
        let share = value / whole
        guard share > -smallest, share < 1 + smallest else { return nil }
        return min(max(share, 0), 1)
    }
}
