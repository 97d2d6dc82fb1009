import Foundation

/// Reads a predicate format. OR binds less than AND, AND less than NOT.
struct PredicateParser {
    private var tokens: PredicateTokens
    private var arguments: ArraySlice<Any>

    static func parse(_ format: String, _ arguments: [Any]) throws -> ContextPredicate {
        var parser = PredicateParser(
            tokens: try PredicateTokens(format), arguments: arguments[...])
        let predicate = try parser.disjunction()
        guard parser.tokens.current == .end else { throw parser.error("Unexpected text.") }
        return predicate
    }

    private mutating func disjunction() throws -> ContextPredicate {
        var conditions = [try conjunction()]
        while try takes(words: "OR", symbols: "||") { conditions.append(try conjunction()) }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    private mutating func conjunction() throws -> ContextPredicate {
        var conditions = [try condition()]
        while try takes(words: "AND", symbols: "&&") { conditions.append(try condition()) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func condition() throws -> ContextPredicate {
        if try takes(words: "NOT", symbols: "!") { return .not(try condition()) }
        if try takes(words: "TRUEPREDICATE") { return .constant(true) }
        if try takes(words: "FALSEPREDICATE") { return .constant(false) }
        if try takes(symbols: "(") {
            let inner = try disjunction()
            guard try takes(symbols: ")") else { throw error("A ) is missing.") }
            return inner
        }
        return .comparison(try comparison())
    }

    private mutating func comparison() throws -> PredicateComparison {
        let left = try operand()
        let operation = try operation()
        var options = (isCaseInsensitive: false, isDiacriticInsensitive: false)
        if try takes(symbols: "[") {
            guard case .word(let letters) = tokens.current,
                letters.lowercased().allSatisfy({ "cd".contains($0) })
            else { throw error("The options of a comparison are c and d.") }
            options = (letters.lowercased().contains("c"), letters.lowercased().contains("d"))
            try tokens.advance()
            guard try takes(symbols: "]") else { throw error("A ] is missing.") }
        }
        let start = tokens.start
        let right = try operand()
        var comparison = PredicateComparison(
            left: left, operation: operation, right: right,
            isCaseInsensitive: options.isCaseInsensitive,
            isDiacriticInsensitive: options.isDiacriticInsensitive)
        try check(comparison, at: start)
        comparison.expression = try expression(of: comparison, at: start)
        return comparison
    }

    private mutating func operation() throws -> PredicateOperator {
        let name: String
        switch tokens.current {
        case .symbol(let symbol):
            name = ["==": "=", "<>": "!=", "=<": "<=", "=>": ">="][symbol] ?? symbol
        case .word(let word): name = word.uppercased()
        default: name = ""
        }
        guard let operation = PredicateOperator(rawValue: name) else {
            throw error("There is no comparison of this name.")
        }
        try tokens.advance()
        return operation
    }

    private mutating func operand() throws -> PredicateOperand {
        let token = tokens.current
        let start = tokens.start
        switch token {
        case .text(let text):
            try tokens.advance()
            return .text(text)
        case .argument(let kind):
            let operand = try argument(kind)
            try tokens.advance()
            return operand
        case .word(let word):
            let operand = try named(word, at: start)
            try tokens.advance()
            return operand
        case .symbol("{"): return try list()
        default: throw error("A property or a value is missing.")
        }
    }

    private func named(_ word: String, at start: Int) throws -> PredicateOperand {
        if ["NIL", "NULL"].contains(word.uppercased()) { return .none }
        if word == "SELF" { throw error("SELF is not supported; compare a property.", at: start) }
        return .property(try property(word, at: start))
    }

    private func property(_ name: String, at start: Int) throws -> CLSPredicateKeyPath {
        let known: [CLSPredicateKeyPath] = [
            .dateCreated, .identifier, .title, .universalLinkURL, .topic, .parent,
        ]
        guard let property = known.first(where: { $0.rawValue == name }) else {
            throw error(
                "\"\(name)\" is not a property that can be asked for. These are: "
                    + known.map(\.rawValue).joined(separator: ", ") + ".", at: start)
        }
        return property
    }

    private mutating func list() throws -> PredicateOperand {
        try tokens.advance()
        var values: [PredicateOperand] = []
        while try !takes(symbols: "}") {
            if !values.isEmpty, try !takes(symbols: ",") { throw error("A , or } is missing.") }
            values.append(try operand())
        }
        return .list(values)
    }

    private mutating func argument(_ kind: String) throws -> PredicateOperand {
        guard let argument = arguments.popFirst() else {
            throw error("There is no argument for %\(kind).")
        }
        switch kind {
        case "K":
            let name = (argument as? CLSPredicateKeyPath)?.rawValue ?? (argument as? String)
            return .property(try property(name ?? "\(argument)", at: tokens.start))
        case "@":
            guard let operand = PredicateOperand(argument) else {
                throw error(
                    "An argument of type \(type(of: argument)) cannot be compared with a property.")
            }
            return operand
        default: throw error("The properties of contexts are not numbers; use %@ or %K.")
        }
    }

    private func check(_ comparison: PredicateComparison, at start: Int) throws {
        if comparison.operation.isForTextsOnly {
            for side in [comparison.left, comparison.right] where !side.canBeText {
                throw error("\(comparison.operation.rawValue) compares texts.", at: start)
            }
        }
        if comparison.operation == .between {
            guard case .list(let bounds) = comparison.right, bounds.count == 2 else {
                throw error("BETWEEN needs a list of two values.", at: start)
            }
        }
    }

    private func expression(
        of comparison: PredicateComparison, at start: Int
    ) throws -> NSRegularExpression? {
        guard [.like, .matches].contains(comparison.operation) else { return nil }
        guard case .text(let text) = comparison.right else {
            throw error("\(comparison.operation.rawValue) needs a text.", at: start)
        }
        var pattern = comparison.folded(text)
        if comparison.operation == .like {
            pattern = NSRegularExpression.escapedPattern(for: pattern)
                .replacing("\\*", with: ".*").replacing("\\?", with: ".")
        }
        do {
            return try NSRegularExpression(
                pattern: pattern,
                options: comparison.operation == .like ? .dotMatchesLineSeparators : [])
        } catch {
            throw self.error("This is not a regular expression.", at: start)
        }
    }

    private mutating func takes(words: String? = nil, symbols: String? = nil) throws -> Bool {
        switch tokens.current {
        case .word(let word) where word.uppercased() == words: break
        case .symbol(let symbol) where symbol == symbols: break
        default: return false
        }
        try tokens.advance()
        return true
    }

    private func error(_ problem: String, at start: Int? = nil) -> PredicateError {
        PredicateError(problem, in: tokens.format, at: start ?? tokens.start)
    }
}

extension PredicateOperand {
    /// The value of an argument; `nil` if no property has values of its type.
    init?(_ argument: Any) {
        switch argument {
        case let text as String: self = .text(text)
        case let topic as CLSContextTopic: self = .text(topic.rawValue)
        case let date as Date: self = .date(date)
        case let url as URL: self = .text(url.absoluteString)
        case let context as CLSContext: self = .context(context)
        case is NSNull: self = .none
        case let list as [Any]:
            let values = list.compactMap { PredicateOperand($0) }
            guard values.count == list.count else { return nil }
            self = .list(values)
        case let set as NSSet: self.init(set.allObjects)
        default: return nil
        }
    }

    var canBeText: Bool {
        switch self {
        case .text, .none: true
        case .property(let property): property != .dateCreated && property != .parent
        case .date, .context, .list: false
        }
    }
}
