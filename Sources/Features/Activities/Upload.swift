import API
import JSONBytes
import Values

/// An upload from an app. Each activity is checked alone, so that a malformed one does not affect the others.
struct Upload {
    /// The device's clock when it sent this, if it says so.
    let sentAt: Timestamp?
    /// The well-formed activities, in the order they were sent.
    let parts: [ActivityPart]
    /// The malformed ones, whether or not they are assigned.
    let refused: [RefusedActivity]

    /// - Throws: a problem if the body is not an upload at all.
    init(_ body: JSONValue) throws {
        let errors = ActivityShapes.envelope.check(body)
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        sentAt = body["sentAt"]?.text.flatMap { Timestamp($0) }
        if let sentAt, sentAt.milliseconds < 0 {
            throw Problem.invalid("/sentAt", "out_of_range", "This time is before 1970.")
        }
        var parts: [ActivityPart] = []
        var refused: [RefusedActivity] = []
        for (index, activity) in (body["activities"]?.array ?? []).enumerated() {
            var meant = activity
            if let error = ActivityChecks.firstError(in: activity) {
                meant = UsualActivity.mended(activity)
                guard ActivityChecks.firstError(in: meant) == nil else {
                    refused.append(RefusedActivity(activity, at: index, error))
                    continue
                }
            }
            if let object = meant.object { parts.append(ActivityPart(Fields(object))) }
        }
        self.parts = parts
        self.refused = refused
    }
}

/// A malformed activity and the first error in it.
struct RefusedActivity {
    /// As the app sent it; `nil` if that is not text of a sensible length.
    let id: String?
    /// Its pointer refers to the request's body.
    let error: Problem.Invalid

    init(_ activity: JSONValue, at index: Int, _ error: Problem.Invalid) {
        id = activity["id"]?.text.flatMap { $0.utf8.count <= 256 ? $0 : nil }
        self.error = Problem.Invalid(
            pointer: "/activities/\(index)\(error.pointer)", code: error.code,
            detail: error.detail)
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        if let id { writer.text(id) } else { writer.null() }
        for (name, text) in [
            ("pointer", error.pointer), ("code", error.code), ("detail", error.detail),
        ] {
            writer.key(name)
            writer.text(text)
        }
        writer.endObject()
    }
}
