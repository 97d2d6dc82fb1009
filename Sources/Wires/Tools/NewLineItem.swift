import API
import JSONBytes
import Values

/// A line item as a tool sends it (Assignment and Grade Services 2.0 section 3.2). Members that are not named here are
/// ignored: the standard lets tools add their own, and the times are those of the handout.
struct NewLineItem: Sendable {
    /// What the tool says is the task; `nil` if it does not.
    let resourceLinkID: String?
    let label: String
    let scoreMaximum: Double
    let resourceID: String?
    let tag: String?

    init(_ document: JSONValue) throws {
        guard let object = document.object else {
            throw Problem.invalid("", "wrong_type", "This should be an object.")
        }
        var mistakes: [Problem.Invalid] = []
        /// A text of up to 256 characters; `nil` if it is absent, null or empty, as tools leave out what they lack.
        func text(_ name: String) -> String? {
            guard let value = object[name], !value.isNull, value != "" else { return nil }
            mistakes += Shape.line().check(value).map {
                Problem.Invalid(pointer: "/\(name)", code: $0.code, detail: $0.detail)
            }
            return value.text
        }
        let label = text("label")
        let maximum = object["scoreMaximum"]?.double
        resourceLinkID = text("resourceLinkId")
        resourceID = text("resourceId")
        tag = text("tag")
        if label == nil, !mistakes.contains(where: { $0.pointer == "/label" }) {
            mistakes.append(
                .init(pointer: "/label", code: "missing", detail: "A label is required."))
        }
        if maximum.map({ (1e-9...1e12).contains($0) }) != true {
            mistakes.append(
                .init(
                    pointer: "/scoreMaximum", code: "out_of_range",
                    detail: "This should be a number from 1e-9 to 1e12."))
        }
        guard mistakes.isEmpty, let label, let maximum else { throw Problem.invalid(mistakes) }
        self.label = label
        scoreMaximum = maximum
    }

    /// The task that the tool names: a line item is always of one.
    func task() throws -> UUID {
        guard let resourceLinkID else {
            throw Problem.invalid(
                "/resourceLinkId", "missing",
                "Name one of your tasks in this class: the school keeps scores of assigned work only."
            )
        }
        guard let id = UUID(resourceLinkID) else { throw Self.unknownTask }
        return id
    }

    static let unknownTask = Problem.invalid(
        "/resourceLinkId", "unknown_task",
        "You have no such task in this class: the school keeps scores of assigned work only.")
}
