import Foundation

/// A condition on contexts.
indirect enum ContextPredicate: @unchecked Sendable {
    case constant(Bool)
    case not(ContextPredicate)
    case all([ContextPredicate])
    case any([ContextPredicate])
    case comparison(PredicateComparison)

    func matches(_ context: CLSContext) throws -> Bool {
        switch self {
        case .constant(let value): value
        case .not(let condition): try !condition.matches(context)
        case .all(let conditions): try conditions.allSatisfy { try $0.matches(context) }
        case .any(let conditions): try conditions.contains { try $0.matches(context) }
        case .comparison(let comparison): comparison.matches(context)
        }
    }
}

/// A property, or a value that a property is compared with.
enum PredicateOperand {
    case property(CLSPredicateKeyPath)
    case none
    case text(String)
    case date(Date)
    case context(CLSContext)
    case list([PredicateOperand])

    /// The value for a context.
    func value(in context: CLSContext) -> PredicateOperand {
        guard case .property(let property) = self else { return self }
        switch property {
        case .dateCreated: return .date(context.dateCreated)
        case .identifier: return .text(context.identifier)
        case .title: return .text(context.title)
        case .universalLinkURL:
            return context.universalLinkURL.map { .text($0.absoluteString) } ?? .none
        case .topic: return context.topic.map { .text($0.rawValue) } ?? .none
        default: return context.parent.map { .context($0) } ?? .none
        }
    }
}

/// How two values are compared.
enum PredicateOperator: String {
    case equal = "="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case between = "BETWEEN"
    case isIn = "IN"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"
    case matches = "MATCHES"

    var isForTextsOnly: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .matches: true
        default: false
        }
    }
}

/// A comparison of two values.
struct PredicateComparison: @unchecked Sendable {
    let left: PredicateOperand
    let operation: PredicateOperator
    let right: PredicateOperand
    var isCaseInsensitive = false
    var isDiacriticInsensitive = false
    /// For MATCHES and LIKE: the expression, made once.
    var expression: NSRegularExpression?

    func matches(_ context: CLSContext) -> Bool {
        let left = left.value(in: context)
        let right = right.value(in: context)
        switch operation {
        case .equal: return isEqual(left, right)
        case .unequal: return !isEqual(left, right)
        case .isIn:
            if case .list(let values) = right {
                return values.contains { isEqual(left, $0.value(in: context)) }
            }
            return compareTexts(right, left) { $0.contains($1) }
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else { return false }
            return order(bounds[0], left).map { $0 != .orderedDescending } ?? false
                && order(left, bounds[1]).map { $0 != .orderedDescending } ?? false
        case .less: return order(left, right) == .orderedAscending
        case .lessOrEqual: return order(left, right).map { $0 != .orderedDescending } ?? false
        case .greater: return order(left, right) == .orderedDescending
        case .greaterOrEqual: return order(left, right).map { $0 != .orderedAscending } ?? false
        case .beginsWith: return compareTexts(left, right) { $0.hasPrefix($1) }
        case .endsWith: return compareTexts(left, right) { $0.hasSuffix($1) }
        case .contains: return compareTexts(left, right) { $0.contains($1) }
        case .like, .matches: return isMatch(left)
        }
    }

    private func isEqual(_ left: PredicateOperand, _ right: PredicateOperand) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.text(let left), .text(let right)): folded(left) == folded(right)
        case (.date(let left), .date(let right)): left == right
        case (.context(let left), .context(let right)): left === right
        default: false
        }
    }

    private func order(
        _ left: PredicateOperand, _ right: PredicateOperand
    ) -> ComparisonResult? {
        switch (left, right) {
        case (.text(let left), .text(let right)):
            let (left, right) = (folded(left), folded(right))
            return left < right
                ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
        case (.date(let left), .date(let right)): return left.compare(right)
        default: return nil
        }
    }

    private func compareTexts(
        _ left: PredicateOperand, _ right: PredicateOperand, _ test: (String, String) -> Bool
    ) -> Bool {
        guard case .text(let left) = left, case .text(let right) = right else { return false }
        return test(folded(left), folded(right))
    }

    private func isMatch(_ value: PredicateOperand) -> Bool {
        guard case .text(let text) = value, let expression else { return false }
        let folded = folded(text)
        let whole = NSRange(folded.startIndex..., in: folded)
        return expression.firstMatch(in: folded, range: whole)?.range == whole
    }

    func folded(_ text: String) -> String {
        var options: String.CompareOptions = []
        if isCaseInsensitive { options.insert(.caseInsensitive) }
        if isDiacriticInsensitive { options.insert(.diacriticInsensitive) }
        return options.isEmpty ? text : text.folding(options: options, locale: nil)
    }
}
