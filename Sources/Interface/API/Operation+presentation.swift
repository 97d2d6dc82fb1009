import HTTPServer
import HTTPWire
import JSONBytes

/// Parameters that choose how an answer is presented. Every call that can honour them has them, without declaring them.
extension Operation {
    package static let fieldsParameter = Parameter.optional(
        "fields", .text(1...2000),
        "Only these fields, separated by commas; dots lead into nested ones. In a list, the fields are those of its items."
    )

    package static let countParameter = Parameter.optional(
        "count", .boolean,
        "true adds `\(Page.countMember)`; see the guide about lists for its cost.")

    static func expandParameter(_ expansions: [Expansion]) -> Parameter {
        let names = expansions.map { "`\($0.name)`" }.joined(separator: ", ")
        return .optional(
            Expansion.parameter, .text(1...200),
            "Adds records that the answer refers to, as `\(Expansion.member)`: any of these, separated by commas: \(names)."
        )
    }

    /// - Parameter isProjected: whether `fields` chooses the fields of a JSON answer.
    static func presentation(
        of answers: [Answer], isProjected: Bool, _ expansions: [Expansion]
    ) -> [Parameter] {
        (answers.contains { $0.item != nil } ? [countParameter] : [])
            + (isProjected && shape(of: answers) != nil ? [fieldsParameter] : [])
            + (expansions.isEmpty ? [] : [expandParameter(expansions)])
    }

    /// The shape of a successful answer in JSON, if it is an object.
    package static func shape(of answers: [Answer]) -> Shape? {
        let content = answers.first { $0.status == 200 }?.content
        let shape = content?.first { $0.mediaType == "application/json" }?.shape
        return switch shape {
        case .object, .variant: shape
        default: nil
        }
    }

    var answered: Shape? { Self.shape(of: answers) }

    /// What a page has items of, if the answer is one.
    package var item: ObjectShape? { answers.lazy.compactMap(\.item).first }

    /// Whether clients may choose CSV.
    private var answersCSV: Bool {
        answers.contains { $0.content.contains { $0.mediaType == "text/csv" } }
    }

    /// Refuses parameters that present JSON to clients that prefer CSV.
    fileprivate func checkIsJSON(_ request: Request, _ parameter: String) throws {
        guard answersCSV, request.prefersCSV else { return }
        throw Problem.invalidParameter(
            parameter,
            "This parameter is for JSON; CSV has every column. Send Accept: application/json.")
    }
}

extension Operation {
    /// Whether a parameter chooses how the answer is presented, and not what is in it.
    func presents(_ parameter: String) -> Bool { presentation.contains { $0.name == parameter } }
}

extension Request {
    /// Whether the query says how to present the answer.
    package var choosesPresentation: Bool {
        http.query.items.contains { operation.presents($0.name) }
    }

    /// Refuses to present anything but JSON.
    package func checkPresentation() throws {
        for item in http.query.items where operation.presents(item.name) {
            try operation.checkIsJSON(self, item.name)
        }
    }
}
