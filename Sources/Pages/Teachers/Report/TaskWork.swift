import Contract
import JSONBytes
import Values

/// What a student did at a task, as its teacher sees it.
struct TaskWork: Sendable {
    /// The teacher gave the work back.
    struct Returned: Sendable {
        let at: Timestamp?
        let note: String?
        let asksAgain: Bool
    }

    let openedAt: Timestamp?
    let doneAt: Timestamp?
    let isLate: Bool
    /// It was due before the student joined, and was not given since.
    let isBeforeJoined: Bool
    let returned: Returned?
    let attempts: Int
    /// Of the latest attempt.
    let progress: Double?
    /// Over all attempts.
    let seconds: Double?
    /// Of the latest attempt.
    let item: ActivityItem?
    let isProgressOff: Bool
    /// What was given for the task, and for the handout as a whole.
    let mark: Document<ReportedMark>?
    let handoutMark: Document<ReportedMark>?

    init(_ work: JSONValue) {
        openedAt = work.moment("openedAt")
        doneAt = work.moment("doneAt")
        isLate = work["late"]?.bool ?? false
        isBeforeJoined = work["beforeJoined"]?.bool ?? false
        returned = work["returned"].flatMap(Returned.init)
        attempts = work["attempts"]?.int64.map { Int($0) } ?? 0
        progress = work["progress"]?.double
        seconds = work["durationSeconds"]?.double
        item = ActivityItem(work["primaryItem"])
        isProgressOff = work["progressOff"]?.bool ?? false
        let marks = Document<ReportedMarks>(work)
        mark = marks?.mark
        handoutMark = marks?.handoutMark
    }

    var isDone: Bool { doneAt != nil }

    /// Done, and not returned since.
    var isToReview: Bool {
        guard let doneAt else { return false }
        return returned?.at.map { $0 < doneAt } ?? true
    }

    /// The app says that all of it is done, and only the student has not: nothing to be alarmed about.
    var isFinished: Bool { !isDone && returned == nil && (progress ?? 0) >= 1 }

    /// What needs the teacher first has the lowest number.
    var urgency: Int { isDone ? 2 : openedAt != nil || attempts > 0 ? 1 : 0 }

    /// The words on its state.
    @HTMLBuilder
    func tags(_ texts: Texts) -> [HTML] {
        if let returned, returned.asksAgain, !isDone {
            tag(texts(ReportText.tryAgain), .returned, .warn)
        } else if returned != nil {
            tag(texts(ReportText.returned), .returned, .warn)
        }
        if isDone {
            tag(texts(ReportText.done), .done, .good)
        } else if returned == nil {
            if isFinished {
                tag(texts(ReportText.finished), .opened, .info)
            } else if urgency == 1 {
                tag(texts(ReportText.opened), .opened, .info)
            } else {
                tag(texts(ReportText.notOpened), .unopened)
            }
        }
        if isBeforeJoined { tag(texts(ReportText.beforeJoined), .info, .line) }
        if isLate { tag(texts(ReportText.late), .late, isDone || isFinished ? .line : .bad) }
        if isProgressOff { tag(texts(ReportText.progressOff), .off, .line) }
    }

    /// All that the words on its state depend on.
    struct State: Hashable {
        let urgency: Int
        let isFinished: Bool
        let isLate: Bool
        let isBeforeJoined: Bool
        let isProgressOff: Bool
        /// Whether the teacher asks for more; `nil` if it was not given back.
        let returned: Bool?
    }

    var state: State {
        State(
            urgency: urgency, isFinished: isFinished, isLate: isLate,
            isBeforeJoined: isBeforeJoined, isProgressOff: isProgressOff,
            returned: returned?.asksAgain)
    }

    /// Tags and figures, for a cell of a table.
    func cell(_ texts: Texts) -> HTML {
        var words = CellWords(texts)
        return cell(&words)
    }

    /// The same in a table of many: written piece by piece, because building hundreds of cells from elements was most of
    /// the work for a report's page.
    func cell(_ words: inout CellWords) -> HTML {
        var pieces: [HTML] = [
            .markup("<div class=\"cell\"><div class=\"cell-top\">"), words.tags(of: self),
        ]
        if let item {
            pieces += [
                .markup("<span class=\"number strong cell-end\">"), .text(words.figure(of: item)),
                .markup("</span>"),
            ]
        }
        let figures = words.figures(of: self)
        guard !figures.isEmpty else { return .parts(pieces + [.markup("</div></div>")]) }
        pieces += [
            .markup("</div><div class=\"meter\"><span class=\"small soft number\">"),
            .text(figures), .markup("</span>"), progress.map { words.bar($0) } ?? .nothing,
            .markup("</div></div>"),
        ]
        return .parts(pieces)
    }
}

extension TaskWork.Returned {
    fileprivate init?(_ returned: JSONValue) {
        guard !returned.isNull else { return nil }
        at = returned.moment("at")
        note = returned["note"]?.text?.nilIfEmpty
        asksAgain = returned["tryAgain"]?.bool ?? false
    }
}

/// A bar beside its figure. Readers skip it, because the figure says the same.
///
/// - Parameter share: from 0 to 1; all of it is green unless the class says otherwise.
func progressBar(_ share: Double, class name: String? = nil) -> HTML {
    let percent = Int((share * 100).rounded())
    return progress(
        Attribute("class", name ?? (percent >= 100 ? "is-good" : nil)),
        .value("\(percent)"), Attribute("max", "100"), .hidden)
}

extension Texts {
    func duration(_ seconds: Double) -> String {
        duration(minutes: minutes(of: seconds))
    }

    func minutes(of seconds: Double) -> Int {
        minutes(of: Int(min(max(seconds, 0), 1e12).rounded()))
    }
}
