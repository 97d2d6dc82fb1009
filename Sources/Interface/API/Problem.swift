import HTTPWire
import JSONBytes

/// An error as a client reads it (RFC 9457).
package struct Problem: Error, Sendable {
    /// One mistake in a body.
    package typealias Invalid = Shape.Mistake

    package let status: Int
    /// Stable, for programs: `snake_case`.
    package let code: String
    /// A short sentence that is the same for every occurrence.
    package let title: String
    /// What is specific to this occurrence.
    package var detail: String?
    package var errors: [Invalid] = []
    package var headers: [ResponseField] = []
    /// The address at which an app of OAuth learns of the problem.
    package var redirectTo: String?

    package init(
        _ status: Int, _ code: String, _ title: String, detail: String? = nil,
        errors: [Invalid] = [], headers: [ResponseField] = []
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.errors = errors
        self.headers = headers
    }

    /// The same problem with another `detail`.
    package func with(detail: String) -> Problem {
        var problem = self
        problem.detail = detail
        return problem
    }

    /// Where the documentation explains the codes. Followed by a code, it is the `type` of a problem.
    package static let typePrefix = "/docs#problem-"

    /// The problem document, with the request's id as its instance.
    package func document(instance: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.text(Problem.typePrefix + code)
        writer.key("title")
        writer.text(title)
        writer.key("status")
        writer.int(status)
        writer.key("code")
        writer.text(code)
        if let detail {
            writer.key("detail")
            writer.text(detail)
        }
        writer.key("instance")
        writer.text(instance)
        if !errors.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for error in errors { error.write(into: &writer) }
            writer.endArray()
        }
        if let redirectTo {
            writer.key("redirectTo")
            writer.text(redirectTo)
        }
        writer.endObject()
        return writer.bytes
    }
}

extension Problem.Invalid {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("pointer")
        writer.text(pointer)
        writer.key("code")
        writer.text(code)
        writer.key("detail")
        writer.text(detail)
        writer.endObject()
    }
}

extension Problem {
    /// Absent, or invisible to the caller: the same answer.
    package static let notFound = Problem(
        404, "not_found", "This does not exist, or you may not see it.",
        detail: "Check the path and the id.")

    /// The caller lacks what the sentence names.
    package static func forbidden(_ detail: String) -> Problem {
        Problem(403, "forbidden", "You may not do that.", detail: detail)
    }

    /// The body is well-formed, but its content is invalid.
    package static func invalid(_ errors: [Invalid]) -> Problem {
        Problem(
            422, "invalid_body", "Something in the body is wrong.",
            detail: summary(of: errors), errors: errors)
    }

    /// The first mistake with its pointer, and how many more there are.
    private static func summary(of errors: [Invalid]) -> String? {
        guard let first = errors.first else { return nil }
        let prefix = first.pointer.isEmpty ? "" : "\(first.pointer.dropFirst()): "
        let more =
            switch errors.count {
            case 1: ""
            case 2: " There is 1 more error."
            default: " There are \(errors.count - 1) more errors."
            }
        return prefix + first.detail + more
    }

    package static func invalid(_ pointer: String, _ code: String, _ detail: String) -> Problem {
        invalid([Invalid(pointer: pointer, code: code, detail: detail)])
    }

    /// A body refers to something absent or invisible: the same answer for both.
    package static func unknownReference(_ pointer: String) -> Problem {
        invalid(
            pointer, "unknown_reference",
            "This refers to something that does not exist or that you may not see.")
    }

    package static func invalidParameter(_ name: String, _ detail: String) -> Problem {
        Problem(
            400, "invalid_parameter", "A query parameter is wrong.",
            detail: "\(name): \(detail)")
    }

    package static let foreignPageToken = invalidParameter(
        "pageToken", "This page token does not belong to this list.")

    /// A record that others refer to cannot be removed.
    ///
    /// - Parameter counts: how many records of each kind, such as `3 orders`; empty if unknown.
    package static func inUse(_ subject: String, _ counts: [String]) -> Problem {
        Problem(
            409, "\(subject)_in_use", "It is still in use.",
            detail: counts.isEmpty
                ? "Other records refer to it; remove or move them first."
                : "It has \(counts.joined(separator: ", ")); remove or move them first.")
    }

    package static let unavailable = Problem(
        503, "unavailable", "The database cannot be reached right now.",
        detail: "Nothing was changed. Try again in a moment.",
        headers: [ResponseField("Retry-After", "1")])

    /// Nothing was stored: the database or the spool folder is out of space.
    package static let storageFull = Problem(
        507, "storage_full", "The server's disk is full.",
        detail: "Nothing was saved. Ask the server's operator to make room, then try again.")

    /// Nothing was done: the transaction was rolled back.
    package static let contended = Problem(
        503, "contended", "Others were changing the same thing.",
        detail: "Nothing was changed. Try again.",
        headers: [ResponseField("Retry-After", "1")])

    /// Nothing was done: the statement was cancelled, and its transaction rolled back.
    package static let timedOut = Problem(
        503, "timed_out", "The database did not answer in time.",
        detail: "Nothing was changed. Try again in a moment.",
        headers: [ResponseField("Retry-After", "1")])

    package static let busy = Problem(
        503, "busy", "Too many requests are waiting.",
        detail: "Nothing was changed. Try again in a moment.",
        headers: [ResponseField("Retry-After", "1")])

    package static let internalError = Problem(
        500, "internal_error", "Something went wrong on our side.",
        detail: "The log has the cause under the id of this request.")
}
