import API
import JSONBytes
import Postgres
import Values

/// A kind of object of the gradebook that other systems write.
enum GradebookKind: CaseIterable {
    case category, lineItem, result, scoreScale

    static func all(in edition: Edition) -> [GradebookKind] {
        allCases.filter { edition == .v1p2 || $0 != .scoreScale }
    }

    /// In paths.
    var collection: String {
        switch self {
        case .category: "categories"
        case .lineItem: "lineItems"
        case .result: "results"
        case .scoreScale: "scoreScales"
        }
    }

    /// The member of a body with one object.
    var key: String {
        switch self {
        case .category: "category"
        case .lineItem: "lineItem"
        case .result: "result"
        case .scoreScale: "scoreScale"
        }
    }

    private var table: String {
        switch self {
        case .category: "gradebook_category"
        case .lineItem: "gradebook_item"
        case .result: "grade"
        case .scoreScale: "gradebook_scale"
        }
    }

    /// Stores an object: `outcome` says what became of it.
    ///
    /// - Parameters:
    ///   - sourcedID: as the caller names it; `nil` if it gets our id.
    ///   - id: of a new row.
    func put(_ object: JSONObject, as sourcedID: String?, id: UUID) -> Statement {
        let document = JSONDocument(JSONValue.object(object).bytes)
        return switch self {
        case .category:
            "select school.put_gradebook_category(\(sourcedID), \(id), \(document)) as outcome"
        case .lineItem:
            "select school.put_gradebook_item(\(sourcedID), \(id), \(document)) as outcome"
        case .result: "select school.put_grade(\(sourcedID), \(id), \(document)) as outcome"
        case .scoreScale:
            "select school.put_gradebook_scale(\(sourcedID), \(id), \(document)) as outcome"
        }
    }

    func remove(_ sourcedID: String) -> Statement {
        "select school.remove_from_gradebook(\(table), \(sourcedID)) as outcome"
    }

    // MARK: Shapes

    /// What is written of an object, the same in both editions.
    var shape: Shape {
        switch self {
        case .category:
            .fields(
                "OneRosterNewCategory",
                Self.common + [
                    .required("title", .line(512)), .nullable("weight", Self.number),
                ])
        case .lineItem: .fields("OneRosterNewLineItem", Self.common + Self.lineItemFields)
        case .result: .fields("OneRosterNewResult", Self.common + Self.resultFields)
        case .scoreScale:
            .fields(
                "OneRosterNewScoreScale",
                Self.common + [
                    .required("title", .line(512)), .required("type", .line()),
                    .required("class", Self.reference), .nullable("course", Self.reference),
                    .required("scoreScaleValue", .array(Self.scaleValue, count: 1...1000)),
                ])
        }
    }

    private static let number = Shape.number(
        -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)

    private static let common: [Field] = [
        .nullable("sourcedId", .text(1...255), "The one in the path counts."),
        .nullable("status", .word(["active", "tobedeleted"])),
        .nullable("dateLastModified", .text(1...100), "Ignored: it is the time of the call."),
        .nullable("metadata", .map(.anything)),
    ]

    private static let lineItemFields: [Field] = [
        .required("title", .line(512)), .nullable("description", .text(0...20_000, lines: true)),
        .nullable("assignDate", time), .nullable("dueDate", time), .required("class", reference),
        .nullable("school", reference), .nullable("category", reference),
        .nullable("academicSession", reference), .nullable("gradingPeriod", reference),
        .nullable("scoreScale", reference), .nullable("resultValueMin", number),
        .nullable("resultValueMax", number),
        .nullable("learningObjectiveSet", .array(.map(.anything), count: 0...1000)),
    ]

    private static let resultFields: [Field] = [
        .required("lineItem", reference), .required("student", reference),
        .nullable("class", reference), .nullable("scoreScale", reference),
        .required("scoreStatus", status), .nullable("score", number),
        .nullable("textScore", .text(0...256)), .required("scoreDate", time),
        .nullable("comment", .text(0...10_000, lines: true)), .nullable("inProgress", flag),
        .nullable("incomplete", flag), .nullable("late", flag), .nullable("missing", flag),
        .nullable("learningObjectiveSet", .array(.map(.anything), count: 0...1000)),
    ]

    private static let flag = Shape.either(.boolean, .word(["true", "false"]))

    private static let scaleValue = Shape.fields(
        "OneRosterScoreScaleValue",
        [
            .required("itemValueLHS", .text(0...256)), .required("itemValueRHS", .text(0...256)),
        ])

    /// The sourcedId is enough.
    private static let reference = Shape.fields(
        "OneRosterNewReference",
        [
            .required("sourcedId", .text(1...255)), .nullable("href", .text(0...8000)),
            .nullable("type", .text(0...100)),
        ])

    private static let words = [
        "exempt", "fully graded", "not submitted", "partially graded", "submitted",
    ]

    private static let status = Shape.form(
        TextForm(
            "one of \(words.joined(separator: ", ")), or a word after ext:",
            schema: [
                "type": "string", "maxLength": 256,
                "pattern": .text("^(\(words.joined(separator: "|"))|ext:.+)$"),
            ], example: "fully graded"
        ) { text in
            words.contains(text)
                || text.hasPrefix("ext:") && (5...256).contains(text.unicodeScalars.count)
                    && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        })

    private static let time = Shape.form(
        TextForm(
            "a day like 2026-11-21 or a time like 2026-11-21T08:00:00.000Z",
            schema: [
                "type": "string", "maxLength": 40, "pattern": #"^\d{4}-\d\d-\d\d([Tt].+)?$"#,
            ], example: "2026-11-21T08:00:00.000Z"
        ) { Day($0) != nil || Timestamp($0) != nil })
}
