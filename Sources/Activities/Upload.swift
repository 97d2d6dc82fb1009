import JSONBytes
import School
import Values

/// What an app uploads: each activity judged alone, so that a malformed one costs the others nothing.
struct Upload {
    /// The device's clock when it sent this, where it says so.
    let sentAt: Timestamp?
    /// The well-formed activities, in their order.
    let parts: [ActivityPart]
    /// What is malformed, whatever is assigned.
    let refused: [RefusedActivity]

    /// - Throws: a problem for a body that is not an upload at all.
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
            if let error = ActivityChecks.firstError(in: activity) {
                refused.append(RefusedActivity(activity, at: index, error))
            } else if let object = activity.object {
                parts.append(ActivityPart(Fields(object)))
            }
        }
        self.parts = parts
        self.refused = refused
    }
}

/// An activity that is malformed, and the first thing that is wrong with it.
struct RefusedActivity {
    /// As the app sent it; `nil` where that is not text of a sensible length.
    let id: String?
    /// The pointer is into the body of the request.
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
