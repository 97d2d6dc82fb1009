import JSONBytes

enum ItemText: String, TextKey {
    case scoreOf, isTrue, isFalse, passed, notPassed, yes, no, correct, incorrect
    case shareTrue, sharePassed, shareYes, shareCorrect, onAverage

    static let section = "item"
}

/// A figure that an app reported about an attempt, and how it reads in plain words.
struct ActivityItem: Sendable {
    /// The pair of words for a yes or no.
    enum Pair: String, Sendable {
        case trueFalse, passFail, yesNo, correctIncorrect
    }

    enum Value: Hashable, Sendable {
        case score(Double, of: Double)
        case quantity(Double)
        case binary(Bool, Pair)
    }

    let title: String
    let value: Value

    /// `nil` for `null`, and for a kind that these pages do not know.
    init?(_ item: JSONValue?) {
        guard let item, let value = Value(item) else { return nil }
        title = item["title"]?.text ?? ""
        self.value = value
    }

    /// `7 of 10`, `Passed`, `2`.
    func words(_ texts: Texts) -> String {
        switch value {
        case .score(let score, let maximum): texts.score(score, of: maximum)
        case .quantity(let quantity): texts.number(quantity)
        case .binary(let isPositive, let pair): texts(isPositive ? pair.positive : pair.negative)
        }
    }

    /// Whether it was right or wrong; `nil` for what is neither.
    var isRight: Bool? {
        guard case .binary(let value, let pair) = value else { return nil }
        return pair == .passFail || pair == .correctIncorrect ? value : nil
    }

    /// The maximum of a score.
    var maximum: Double? {
        if case .score(_, let maximum) = value { maximum } else { nil }
    }

    var pair: Pair? {
        if case .binary(_, let pair) = value { pair } else { nil }
    }
}

extension ActivityItem.Value {
    fileprivate init?(_ item: JSONValue) {
        switch item["kind"]?.text {
        case "score":
            guard let score = item["score"]?.double, let maximum = item["maxScore"]?.double else {
                return nil
            }
            self = .score(score, of: maximum)
        case "quantity":
            guard let quantity = item["quantity"]?.double else { return nil }
            self = .quantity(quantity)
        case "binary":
            guard let value = item["value"]?.bool,
                let pair = item["valueType"]?.text.flatMap(ActivityItem.Pair.init(rawValue:))
            else { return nil }
            self = .binary(value, pair)
        default: return nil
        }
    }
}

extension ActivityItem.Pair {
    var positive: ItemText {
        switch self {
        case .trueFalse: .isTrue
        case .passFail: .passed
        case .yesNo: .yes
        case .correctIncorrect: .correct
        }
    }

    var negative: ItemText {
        switch self {
        case .trueFalse: .isFalse
        case .passFail: .notPassed
        case .yesNo: .no
        case .correctIncorrect: .incorrect
        }
    }

    fileprivate var share: ItemText {
        switch self {
        case .trueFalse: .shareTrue
        case .passFail: .sharePassed
        case .yesNo: .shareYes
        case .correctIncorrect: .shareCorrect
        }
    }
}

/// What a class comes to in an item, as the API says it.
struct ItemAverage: Sendable {
    /// Share of the maximum.
    let score: Double?
    let quantity: Double?
    let positiveShare: Double?

    init(_ average: JSONValue?) {
        score = average?["score"]?.double
        quantity = average?["quantity"]?.double
        positiveShare = average?["positiveShare"]?.double
    }

    /// `7.7 of 10` if all scores have the same maximum, otherwise `77%`; `83% passed`; `1.4 on average`. Empty without an
    /// average.
    ///
    /// - Parameter items: what students have, which says the maximum and the words.
    func words(_ items: [ActivityItem], _ texts: Texts) -> String {
        if let score {
            let maxima = Set(items.compactMap(\.maximum))
            guard let maximum = maxima.first, maxima.count == 1 else { return texts.percent(score) }
            return texts.score(score * maximum, of: maximum)
        }
        if let quantity { return texts(ItemText.onAverage, ["value": texts.number(quantity)]) }
        guard let positiveShare else { return "" }
        let share = texts.percent(positiveShare)
        let pairs = Set(items.compactMap(\.pair))
        guard let pair = pairs.first, pairs.count == 1 else { return share }
        return texts(pair.share, ["share": share])
    }
}

extension Texts {
    /// `7 of 10`.
    func score(_ score: Double, of maximum: Double) -> String {
        self(ItemText.scoreOf, ["score": number(score), "max": number(maximum)])
    }
}
