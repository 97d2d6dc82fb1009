import API
import JSONBytes
import Values

/// What a verb means for an attempt (vocabularies of ADL and cmi5).
enum StatementVerb {
    case voided, passed, failed, completed
    /// Begins, continues or ends an attempt.
    case attempted
    /// Counts only with a result.
    case other

    private static let adl = "http://adlnet.gov/expapi/verbs/"
    private static let attempts: Set<String> = [
        "launched", "initialized", "attempted", "resumed", "progressed", "suspended", "terminated",
        "exited", "scored", "mastered", "experienced", "answered", "interacted",
    ]

    init(_ iri: String) {
        let name = iri.hasPrefix(Self.adl) ? String(iri.dropFirst(Self.adl.count)) : ""
        switch name {
        case "voided": self = .voided
        case "passed": self = .passed
        case "failed": self = .failed
        case "completed": self = .completed
        default: self = Self.attempts.contains(name) ? .attempted : .other
        }
    }
}

/// The attempt that a statement is about.
struct Attempt {
    let id: UUID
    let path: [String]
    /// When the statement happened. What it reports ended then.
    let endedAt: Timestamp
}

/// What the result of a statement says (xAPI 1.0.3 part 2 section 2.4.5), in the words of activities.
struct StatementResult {
    /// From 0 to 1; `nil` if it says none.
    private var progress: Double?
    private var seconds: Double?
    /// The primary one first.
    private var items: [JSONValue] = []

    var isEmpty: Bool { progress == nil && seconds == nil && items.isEmpty }

    init(_ result: Fields?, _ verb: StatementVerb) throws {
        progress = try Self.progress(in: result, verb)
        if let text = result?.text("duration") {
            guard let duration = ISODuration(text) else {
                throw StatementMistake(
                    "/result/duration", "malformed",
                    "This should be a duration of ISO 8601, such as PT4M30S.")
            }
            seconds = duration.seconds
        }
        if let score = result?.fields("score").flatMap(Self.scoreItem) { items.append(score) }
        let judged: Bool? = verb == .passed ? true : verb == .failed ? false : nil
        if let success = result?.boolean("success") ?? judged {
            items.append([
                "kind": "binary", "identifier": "success", "title": "Success",
                "value": .bool(success), "valueType": "passFail",
            ])
        }
    }

    /// The part of the attempt, as the activities call would get it.
    ///
    /// Without a result it has no items at all, which leaves those of other parts as they are.
    func part(of attempt: Attempt) -> JSONValue {
        let seconds = seconds ?? 0
        let length = Int64(min(seconds * 1000, 1e15))
        let began = Timestamp(
            milliseconds: max(
                min(0, attempt.endedAt.milliseconds), attempt.endedAt.milliseconds - length))
        var part = JSONObject([
            ("id", .text(attempt.id.description)),
            ("identifierPath", .array(attempt.path.map(JSONValue.text))),
            ("startedAt", .text(began.description)),
            ("stoppedAt", .text(attempt.endedAt.description)),
            ("modifiedAt", .text(attempt.endedAt.description)),
            ("durationSeconds", JSONValue(floatLiteral: seconds)),
        ])
        if let progress, progress > 0 {
            part["progressRanges"] = [[0, JSONValue(floatLiteral: progress)]]
        }
        if let primary = items.first {
            part["primaryItem"] = primary
            part["additionalItems"] = .array(Array(items.dropFirst()))
        }
        return .object(part)
    }

    // MARK: Reading

    private static let percent = "https://w3id.org/xapi/cmi5/result/extensions/progress"
    private static let share = "https://w3id.org/xapi/video/extensions/progress"

    private static func progress(in result: Fields?, _ verb: StatementVerb) throws -> Double? {
        if result?.boolean("completion") ?? (verb == .completed) { return 1 }
        let extensions = result?.fields("extensions")
        for (name, whole) in [(percent, 100.0), (share, 1.0)] {
            guard let value = extensions?[name] else { continue }
            guard let number = value.double else {
                throw StatementMistake(
                    "/result/extensions/\(name.replacingSlashes)", "wrong_type",
                    "This should be a number from 0 to \(Int(whole)).")
            }
            return UsualFigure.share(number, of: whole)
        }
        return nil
    }

    /// A score if it has a maximum, otherwise a quantity; `nil` if there is no figure, or nothing to score.
    private static func scoreItem(_ score: Fields) -> JSONValue? {
        let raw = score.number("raw")
        if let raw, let most = score.number("max") {
            let usual = UsualFigure.score(raw, from: score.number("min") ?? 0, to: most)
            return usual.map { item($0.score, of: $0.maximum) }
        }
        // Scores here begin at 0.
        if let scaled = score.number("scaled") { return item(max(0, scaled), of: 1) }
        guard let raw, let quantity = UsualFigure.quantity(raw) else { return nil }
        return [
            "kind": "quantity", "identifier": "score", "title": "Score",
            "quantity": JSONValue(floatLiteral: quantity),
        ]
    }

    private static func item(_ score: Double, of most: Double) -> JSONValue {
        [
            "kind": "score", "identifier": "score", "title": "Score",
            "score": JSONValue(floatLiteral: score), "maxScore": JSONValue(floatLiteral: most),
        ]
    }
}

extension String {
    /// As a step of a JSON pointer (RFC 6901 section 3).
    fileprivate var replacingSlashes: String {
        split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }
}
