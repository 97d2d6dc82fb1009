import API
import JSONBytes
import Values

/// Checks for malformed activities: their shape, and whether their fields fit together.
enum ActivityChecks {
    /// The first error, with a pointer into the activity; `nil` if there is none.
    static func firstError(in activity: JSONValue) -> Problem.Invalid? {
        if let error = Shape.object(ActivityShapes.activity).check(activity).first { return error }
        guard let object = activity.object else { return nil }
        let part = ActivityPart(Fields(object))
        return timeError(in: part) ?? rangeError(in: part) ?? itemError(in: part)
    }

    private static func timeError(in part: ActivityPart) -> Problem.Invalid? {
        for (name, moment) in [
            ("startedAt", part.startedAt), ("stoppedAt", part.stoppedAt),
            ("modifiedAt", part.modifiedAt),
        ] {
            if let moment, moment.milliseconds < 0 {
                return error("/\(name)", "out_of_range", "This time is before 1970.")
            }
        }
        if let started = part.startedAt, let stopped = part.stoppedAt, stopped < started {
            return error("/stoppedAt", "out_of_order", "This is before startedAt.")
        }
        return nil
    }

    private static func rangeError(in part: ActivityPart) -> Problem.Invalid? {
        for (index, range) in part.progressRanges.enumerated() where range.start >= range.end {
            return error(
                "/progressRanges/\(index)", "out_of_order", "A range ends after it starts.")
        }
        return nil
    }

    private static func itemError(in part: ActivityPart) -> Problem.Invalid? {
        var identifiers: Set<String> = []
        var items: [(pointer: String, item: Fields)] = []
        if let primary = part.primaryItem { items.append((pointer: "/primaryItem", item: primary)) }
        for (index, item) in part.additionalItems.enumerated() {
            items.append((pointer: "/additionalItems/\(index)", item: item))
        }
        for (pointer, item) in items {
            if let identifier = item.text("identifier"), !identifiers.insert(identifier).inserted {
                return error(
                    "\(pointer)/identifier", "duplicate",
                    "Another item of this activity has this identifier.")
            }
            if let error = figureError(in: item, at: pointer) { return error }
        }
        return nil
    }

    /// Figures are 0 or of a sensible magnitude: smaller ones cannot be divided by, larger ones cannot be added up.
    private static func figureError(in item: Fields, at pointer: String) -> Problem.Invalid? {
        for name in ["score", "maxScore", "quantity"] {
            if let figure = item.number(name), figure != 0, abs(figure) < smallestFigure {
                return error(
                    "\(pointer)/\(name)", "out_of_range",
                    "This number should be 0, or at least 0.000000001 in size.")
            }
        }
        guard let score = item.number("score"), let maximum = item.number("maxScore") else {
            return nil
        }
        return score <= maximum
            ? nil : error("\(pointer)/score", "out_of_range", "A score is from 0 to maxScore.")
    }

    private static func error(
        _ pointer: String, _ code: String, _ detail: String
    ) -> Problem.Invalid {
        Problem.Invalid(pointer: pointer, code: code, detail: detail)
    }

    /// The smallest magnitude of a figure other than 0.
    static let smallestFigure = UsualFigure.smallest
    /// The largest magnitude of a figure.
    static let largestFigure = UsualFigure.largest
}
