import JSONBytes
import Values

/// An activity as an app meant it: times in other spellings, sums a hair above 1, a point more than the maximum, and a
/// score of nothing, without which the rest counts.
enum UsualActivity {
    /// - Parameter activity: one that is not as the document has it.
    static func mended(_ activity: JSONValue) -> JSONValue {
        guard var object = activity.object else { return activity }
        for name in ["startedAt", "stoppedAt", "modifiedAt"] {
            if let text = object[name]?.text, let moment = Timestamp(usual: text) {
                object[name] = .text(moment.description)
            }
        }
        if let ranges = object["progressRanges"]?.array {
            object["progressRanges"] = .array(ranges.map(range))
        }
        if let item = object["primaryItem"] { object["primaryItem"] = self.item(item) }
        if let items = object["additionalItems"]?.array {
            object["additionalItems"] = .array(items.compactMap(item))
        }
        return .object(object)
    }

    private static func range(_ range: JSONValue) -> JSONValue {
        guard let bounds = range.array else { return range }
        return .array(
            bounds.map { bound in
                bound.double.flatMap { UsualFigure.share($0) }.map { JSONValue(floatLiteral: $0) }
                    ?? bound
            })
    }

    /// The item; `nil` if it scores nothing.
    private static func item(_ item: JSONValue) -> JSONValue? {
        guard var object = item.object, object["kind"]?.text == "score",
            let score = object["score"]?.double, let maximum = object["maxScore"]?.double
        else { return item }
        if maximum == 0, score == 0 { return nil }
        guard let usual = UsualFigure.score(score, to: maximum) else { return item }
        object["score"] = JSONValue(floatLiteral: usual.score)
        return .object(object)
    }
}
