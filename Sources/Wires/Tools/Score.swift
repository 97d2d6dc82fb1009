import API
import JSONBytes
import Values

/// A score as a tool reports it (Assignment and Grade Services 2.0 section 3.4), and what of it becomes an activity:
///
/// - `scoreGiven` of `scoreMaximum`, once it is fully graded, is the primary item. More than the maximum counts as the
///   maximum.
/// - `Submitted` and `Completed` are progress of 100 percent.
/// - `submission.startedAt` begins an attempt; scores with the same one, or without one, are of the same attempt.
struct Score: Sendable {
    private static let activityWords = [
        "Initialized", "Started", "InProgress", "Submitted", "Completed",
    ]
    private static let gradingWords = [
        "FullyGraded", "Pending", "PendingManual", "Failed", "NotReady",
    ]

    let userID: String
    /// What the attempt is told from others by; `nil` if the tool does not say.
    let attempt: String?
    /// The activity without its id and its path, which the database knows.
    let activity: JSONValue

    init(_ document: JSONValue) throws {
        guard let object = document.object else {
            throw Problem.invalid("", "wrong_type", "This should be an object.")
        }
        let fields = Fields(object)
        userID = try Self.text("userId", of: fields)
        let doing = try Self.word("activityProgress", Self.activityWords, of: fields)
        let grading = try Self.word("gradingProgress", Self.gradingWords, of: fields)
        let modified = try Self.moment(fields["timestamp"], "/timestamp", isRequired: true)
        let started = try Self.moment(
            fields.fields("submission")?["startedAt"], "/submission/startedAt")
        attempt = started?.description
        let item = try Self.item(fields)
        let moment = modified ?? Timestamp(milliseconds: 0)
        var activity = JSONObject([
            ("startedAt", .text(min(started ?? moment, moment).description)),
            ("stoppedAt", .text(Self.end(of: moment).description)), ("durationSeconds", 0),
            ("modifiedAt", .text(moment.description)),
        ])
        if ["Submitted", "Completed"].contains(doing) {
            activity["progressRanges"] = .array([.array([0, 1])])
        }
        if grading == "FullyGraded" { activity["primaryItem"] = item }
        self.activity = .object(activity)
    }

    /// Many tools know the time to the second: such a moment lasts until the next one, so that a score is not earlier
    /// than the task that was published in the same second.
    private static func end(of moment: Timestamp) -> Timestamp {
        guard moment.milliseconds % 1000 == 0 else { return moment }
        return Timestamp(milliseconds: moment.milliseconds + 999)
    }

    /// The primary item; `nil` if there is no score.
    private static func item(_ fields: Fields) throws -> JSONValue? {
        guard let given = try figure("scoreGiven", of: fields) else { return nil }
        guard let maximum = try figure("scoreMaximum", of: fields), maximum > 0 else {
            throw Problem.invalid(
                "/scoreMaximum", "missing", "A scoreGiven needs a scoreMaximum above 0.")
        }
        guard let usual = UsualFigure.score(given, to: maximum) else { return nil }
        return [
            "kind": "score", "identifier": "score", "title": "Score",
            "score": JSONValue(floatLiteral: usual.score),
            "maxScore": JSONValue(floatLiteral: usual.maximum),
        ]
    }

    /// A number that is 0 or of a sensible magnitude; `nil` if it is absent.
    private static func figure(_ name: String, of fields: Fields) throws -> Double? {
        guard let value = fields[name] else { return nil }
        guard let number = value.double,
            number == 0 || (UsualFigure.smallest...UsualFigure.largest).contains(number)
        else {
            throw Problem.invalid(
                "/\(name)", "out_of_range", "This should be 0, or a number from 1e-9 to 1e12.")
        }
        return number
    }

    private static func text(_ name: String, of fields: Fields) throws -> String {
        guard let text = fields.text(name), (1...255).contains(text.utf8.count),
            !text.utf8.contains(0)
        else {
            throw Problem.invalid("/\(name)", "missing", "A text of 1 to 255 bytes is required.")
        }
        return text
    }

    private static func word(
        _ name: String, _ words: [String], of fields: Fields
    ) throws -> String {
        guard let word = fields.text(name), words.contains(word) else {
            throw Problem.invalid(
                "/\(name)", "unknown_word",
                "This should be one of \(words.joined(separator: ", ")).")
        }
        return word
    }

    private static func moment(
        _ value: JSONValue?, _ pointer: String, isRequired: Bool = false
    ) throws -> Timestamp? {
        guard let value else {
            guard isRequired else { return nil }
            throw Problem.invalid(pointer, "missing", "A time is required.")
        }
        guard let text = value.text, let moment = Timestamp(usual: text),
            moment.milliseconds >= 0
        else {
            throw Problem.invalid(
                pointer, "wrong_form", "This should be a time such as 2026-09-01T08:00:00.000Z.")
        }
        return moment
    }
}
