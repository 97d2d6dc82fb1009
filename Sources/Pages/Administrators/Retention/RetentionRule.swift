import JSONBytes
import Values

/// How long one kind of data is kept, as it was read or typed.
struct RetentionRule: Sendable {
    /// In the order of the page, named as in the API.
    enum Kind: String, CaseIterable, Sendable {
        case activities, handouts, grades, auditEvents, exports

        var text: RetentionText {
            switch self {
            case .activities: .activities
            case .handouts: .handouts
            case .grades: .grades
            case .auditEvents: .auditEvents
            case .exports: .exports
            }
        }
    }

    /// What the number counts; `years` and `days` are named as in the API.
    enum Unit: String, CaseIterable, Sendable {
        case forGood, years, days

        var text: RetentionText {
            switch self {
            case .forGood: .forGood
            case .years: .years
            case .days: .days
            }
        }
    }

    let kind: Kind
    let number: String
    let unit: Unit
    /// The rule of the API; null for what was typed.
    private let found: JSONValue

    init(_ kind: Kind, _ found: JSONValue) {
        self.kind = kind
        self.found = found
        if let years = found["years"]?.int64 {
            (number, unit) = ("\(years)", .years)
        } else if let days = found["days"]?.int64 {
            (number, unit) = ("\(days)", .days)
        } else {
            (number, unit) = ("", .forGood)
        }
    }

    init(_ kind: Kind, _ form: Form) {
        self.kind = kind
        found = .null
        number = String(form[kind.rawValue].trimmed)
        unit = Unit(rawValue: form["\(kind.rawValue)-unit"]) ?? .forGood
    }

    /// The rule as the API takes it; `nil` if the number is not one.
    var body: JSONValue? {
        Int64(number).map {
            ["kind": .text(kind.rawValue), unit.rawValue: JSONValue(integerLiteral: $0)]
        }
    }

    /// What the rule does, in sentences.
    func state(_ visit: Visit) -> [String] {
        guard unit != .forGood else { return [] }
        let texts = visit.texts
        func day(_ name: String) -> (moment: Timestamp, text: [String: String])? {
            found[name]?.text.flatMap { Timestamp($0) }.map { moment in
                (moment, ["day": texts.day(visit.local(moment).day, today: visit.today)])
            }
        }
        var lines: [String] = []
        if let effective = day("effectiveAt"), effective.moment > visit.now {
            lines.append(texts(RetentionText.notBefore, effective.text))
        }
        if let going = found["going"]?.int64, going > 0 {
            lines.append(texts(RetentionText.going, count: Int(going)))
        }
        if let removed = day("removedBefore") {
            lines.append(texts(RetentionText.removed, removed.text))
        }
        return lines
    }
}
