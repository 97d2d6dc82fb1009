import JSONBytes
import Values

enum MyFiguresText: String, TextKey {
    case attempts, score, quantity, nothing
    case isTrue, isFalse, passed, notPassed, yes, no, correct, incorrect

    static let section = "myFigures"
}

/// What the student's attempts at a task come to, as the API counts them.
struct MyFigures: Sendable {
    let attempts: Int
    let progress: Double?
    let seconds: Double?
    let item: MyItem?

    init(_ task: JSONValue) {
        attempts = task["attempts"]?.int64.map { Int($0) } ?? 0
        progress = task["progress"]?.double
        seconds = task["durationSeconds"]?.double
        item = task["primaryItem"].flatMap(MyItem.init)
    }

    /// `27 min · 2 attempts`.
    func effort(_ texts: Texts) -> HTML {
        dotted([
            .text(seconds.map { texts.duration(seconds: Int($0.rounded())) } ?? ""),
            .text(texts(MyFiguresText.attempts, count: attempts)),
        ])
    }
}

/// A figure of an attempt, such as an answer or a score.
struct MyItem: Sendable {
    private enum Value: Sendable {
        case score(Double, of: Double)
        case quantity(Double)
        case answer(Bool, kind: String)
    }

    let title: String
    private let value: Value

    init?(_ item: JSONValue) {
        guard let title = item["title"]?.text else { return nil }
        self.title = title
        if let score = item["score"]?.double, let most = item["maxScore"]?.double {
            value = .score(score, of: most)
        } else if let quantity = item["quantity"]?.double {
            value = .quantity(quantity)
        } else if let answer = item["value"]?.bool, let kind = item["valueType"]?.text {
            value = .answer(answer, kind: kind)
        } else {
            return nil
        }
    }

    /// `7 of 10` or `Passed`; a quantity only means something with its title.
    func word(_ texts: Texts) -> String {
        switch value {
        case .score(let score, let most):
            texts(
                MyFiguresText.score,
                [
                    "score": texts.number(score, decimals: 2),
                    "most": texts.number(most, decimals: 2),
                ])
        case .quantity(let amount): texts.number(amount, decimals: 2)
        case .answer(let isPositive, let kind): texts(Self.word(isPositive, kind))
        }
    }

    /// The same where the title does not stand beside it: `Hints taken: 2`.
    func sentence(_ texts: Texts) -> HTML {
        guard case .quantity = value else { return .text(word(texts)) }
        return texts.html(
            MyFiguresText.quantity, ["title": written(title), "amount": .text(word(texts))])
    }

    private static func word(_ isPositive: Bool, _ kind: String) -> MyFiguresText {
        switch kind {
        case "passFail": isPositive ? .passed : .notPassed
        case "yesNo": isPositive ? .yes : .no
        case "correctIncorrect": isPositive ? .correct : .incorrect
        default: isPositive ? .isTrue : .isFalse
        }
    }

    /// Whether it was right or wrong; `nil` for what is neither, such as a hint that was used.
    var isRight: Bool? {
        guard case .answer(let isPositive, let kind) = value,
            kind == "passFail" || kind == "correctIncorrect"
        else { return nil }
        return isPositive
    }
}

/// What became of a task, as its student sees it.
struct MyState: Sendable {
    struct Return: Sendable {
        let at: Timestamp?
        let note: String?
        let asksAgain: Bool
    }

    let openedAt: Timestamp?
    let doneAt: Timestamp?
    let isLate: Bool
    let isBeforeJoined: Bool
    let returned: Return?

    init(_ task: JSONValue) {
        openedAt = task.moment("openedAt")
        doneAt = task.moment("doneAt")
        isLate = task["late"]?.bool ?? false
        isBeforeJoined = task["beforeJoined"]?.bool ?? false
        returned = task["returned"].flatMap { returned in
            guard !returned.isNull else { return nil }
            return Return(
                at: returned.moment("at"), note: returned["note"]?.text,
                asksAgain: returned["tryAgain"]?.bool ?? false)
        }
    }

    /// Whether the teacher's request to try again still stands.
    var isToTryAgain: Bool { doneAt == nil && returned?.asksAgain == true }

    /// - Parameter isClosed: whether nothing can be done any more, so that nothing is overdue or new.
    @HTMLBuilder
    func tags(isClosed: Bool, _ texts: Texts) -> [HTML] {
        if doneAt != nil {
            tag(texts(WorkText.tagDone), .done, .good)
        } else {
            if isLate, !isClosed { tag(texts(WorkText.tagOverdue), .late, .bad) }
            if isToTryAgain {
                tag(texts(WorkText.tagTryAgain), .returned, .warn)
            } else if openedAt != nil, isClosed || !isLate {
                tag(texts(WorkText.tagOpened), .opened, .info)
            } else if isBeforeJoined, !isClosed {
                tag(texts(WorkText.tagBeforeJoined), .info, .line)
            } else if !isLate || isClosed {
                tag(texts(isClosed ? WorkText.tagNotOpened : .tagNew), .unopened)
            }
        }
        if let returned, !returned.asksAgain {
            tag(texts(WorkText.tagReturned), .returned, .warn)
        }
    }
}
