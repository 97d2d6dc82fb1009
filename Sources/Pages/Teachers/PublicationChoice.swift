import Values

extension Publication {
    /// When students see it, as it was typed: without a day and a time, now.
    struct Choice: Sendable {
        var date = ""
        var time = ""

        init(_ handout: EditedHandout, _ visit: Visit) {
            guard handout.summary.state == .scheduled, let moment = handout.summary.publishAt
            else { return }
            (date, time) = visit.local(moment).fields
        }

        init(_ form: Form) {
            date = form["date"].trimmedSpace
            time = form["time"].trimmedSpace
        }

        var isNow: Bool { date.isEmpty && time.isEmpty }

        /// What the button sends that promises this, to be compared with the fields beside it.
        var promise: String { isNow ? "now" : "\(date) \(time)" }

        /// What the button sends that promises to publish now, although these fields say when.
        var insteadOfFields: String { "now, not \(promise)" }

        var local: LocalTime? { Day(date).flatMap { LocalTime(day: $0, time: time) } }

        /// `nil` for now; notes in `problems` what is not a moment to come.
        func moment(_ problems: inout FormProblems, _ visit: Visit) -> Timestamp? {
            if isNow { return nil }
            guard let local else {
                problems.add("date", visit.texts(ActionText.errorMoment))
                return nil
            }
            let moment = local.moment(in: visit.person?.timeZone ?? .utc)
            if moment <= visit.now { problems.add("date", visit.texts(ActionText.errorPast)) }
            return moment
        }
    }

    /// What a publication asks before it happens.
    enum Question: Sendable {
        /// The button promised something else than the fields hold.
        case differs
        /// It would be due before its students see it.
        case due(Doubt)
    }

    /// The words of the button, which say what happens.
    static func words(_ choice: Choice, _ handout: EditedHandout, _ visit: Visit) -> String {
        let texts = visit.texts
        if choice.isNow {
            guard let chosen = handout.chosen else { return texts(ActionText.publishNow) }
            return texts(ActionText.publishNowFor, count: chosen.count)
        }
        guard let local = choice.local else { return texts(ActionText.publishButton) }
        return scheduleWords(texts.moment(local, today: visit.today), handout, texts)
    }

    static func scheduleWords(_ when: String, _ handout: EditedHandout, _ texts: Texts) -> String {
        guard let chosen = handout.chosen else {
            return texts(ActionText.schedule, ["when": when])
        }
        return texts(ActionText.scheduleFor, count: chosen.count, ["when": when])
    }
}

/// A due time that is over when students see the handout. It is asked about once.
struct Doubt: Sendable, Equatable {
    let due: Timestamp
    /// `nil` if students see it at once, or see it already.
    let appears: Timestamp?

    /// `nil` where the due time comes after.
    init?(due: Timestamp?, appears: Timestamp?, _ visit: Visit) {
        guard let due, due <= max(appears ?? visit.now, visit.now) else { return nil }
        self.due = due
        self.appears = appears.flatMap { $0 > visit.now ? $0 : nil }
    }

    /// What the form sends once the teacher has read the question: an answer counts for these times alone.
    var answer: String { "\(due)/\(appears?.description ?? "now")" }

    func words(_ visit: Visit) -> String {
        guard let appears else {
            return visit.texts(ActionText.duePast, ["due": visit.moment(due)])
        }
        return visit.texts(
            ActionText.dueBefore, ["due": visit.moment(due), "when": visit.moment(appears)])
    }
}
