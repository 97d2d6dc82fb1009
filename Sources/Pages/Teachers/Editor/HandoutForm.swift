import JSONBytes
import Values

/// What is typed into the form of a handout, whether or not it makes sense.
struct HandoutForm: Sendable {
    var title = ""
    var instructions = ""
    /// The students that are ticked: they alone get it. Where nobody is, everyone in the class does.
    var chosen: Set<String> = []
    /// Whether it was said that everyone gets what was for chosen students.
    var isForEveryone = false
    /// The most points for it as a whole; empty if it is not marked as one.
    var points = ""
    var dueDate = ""
    var dueTime = ""
    /// The entity tag of the version that the form was filled with.
    var tag = ""

    init() {}

    init(_ handout: EditedHandout, _ visit: Visit) {
        title = handout.summary.title
        instructions = handout.instructions
        chosen = Set(handout.chosen ?? [])
        if let due = handout.summary.dueAt {
            (dueDate, dueTime) = visit.local(due).fields
        }
        points = handout.maximumPoints.map { visit.texts.typed($0) } ?? ""
        tag = handout.tag
    }

    init(_ form: Form) {
        title = form["title"].trimmedSpace
        // Browsers send line ends as in mail.
        instructions = form["instructions"].replacing("\r\n", with: "\n").trimmedSpace
        points = form["points"].trimmedSpace
        dueDate = form["dueDate"].trimmedSpace
        dueTime = form["dueTime"].trimmedSpace
        chosen = Set(form.all("student"))
        isForEveryone = form["everyone"] == "yes"
        tag = form["version"]
    }

    /// The fields for the API; notes in `problems` what cannot be sent.
    ///
    /// - Parameters:
    ///   - students: the students of the class, in order.
    ///   - isNew: whether they are for `POST`, which leaves out what is empty, or for `PATCH`, which clears it.
    func body(
        _ students: [RosterEntry], isNew: Bool, _ problems: inout FormProblems, _ visit: Visit
    ) -> JSONObject {
        let texts = visit.texts
        var body = JSONObject()
        if title.isEmpty { problems.add("title", texts(EditorText.errorTitle)) }
        body["title"] = .text(title)
        for (name, value) in [
            ("instructions", instructions.isEmpty ? .null : .text(instructions)),
            ("dueAt", dueAt(&problems, visit)), ("marking", marking(&problems, texts)),
        ] where !isNew || value != .null {
            body[name] = value
        }
        body["recipients"] = "class"
        if !chosen.isEmpty {
            // Who has left the class since is not chosen any more.
            let ids = students.map(\.id).filter(chosen.contains)
            if ids.isEmpty { problems.add("recipients", texts(EditorText.errorNobody)) }
            if isForEveryone { problems.add("recipients", texts(EditorText.errorBoth)) }
            body["recipients"] = .array(ids.map(JSONValue.text))
        }
        return body
    }

    /// When it is due as the form has it: a day alone is due at its end.
    func due(_ visit: Visit) -> Timestamp? {
        Day(dueDate).flatMap { LocalTime(day: $0, time: dueTime.isEmpty ? "23:59" : dueTime) }?
            .moment(in: visit.person?.timeZone ?? .utc)
    }

    private func marking(_ problems: inout FormProblems, _ texts: Texts) -> JSONValue {
        guard !points.isEmpty else { return .null }
        guard let maximum = Texts.points(typed: points), maximum > 0, maximum <= 1000 else {
            problems.add("points", texts(EditorText.errorPoints))
            return .null
        }
        return ["kind": "points", "maximum": JSONValue(floatLiteral: maximum)]
    }

    /// A day alone is due at its end, which the API knows.
    private func dueAt(_ problems: inout FormProblems, _ visit: Visit) -> JSONValue {
        let texts = visit.texts
        if dueDate.isEmpty, dueTime.isEmpty { return .null }
        guard let day = Day(dueDate) else {
            problems.add("dueDate", texts(EditorText.errorDueDate))
            return .null
        }
        if dueTime.isEmpty { return .text(day.description) }
        guard let time = LocalTime(day: day, time: dueTime) else {
            problems.add("dueTime", texts(EditorText.errorTime))
            return .null
        }
        return .text(time.moment(in: visit.person?.timeZone ?? .utc).description)
    }

    /// What the API refused, at the fields.
    static func explained(_ refusal: Refusal, _ texts: Texts) -> FormProblems {
        var problems = FormProblems.none
        func add(_ field: String, _ key: EditorText, where pointer: String) {
            if refusal.fields.keys.contains(where: { $0 == pointer || $0.hasPrefix(pointer + "/") })
            {
                problems.add(field, texts(key))
            }
        }
        add("title", .errorTitleUnfit, where: "/title")
        add("instructions", .errorInstructions, where: "/instructions")
        add("points", .errorPoints, where: "/marking")
        add("tasks", .errorTask, where: "/tasks")
        add("recipients", .errorRecipients, where: "/recipients")
        add("dueDate", .errorDue, where: "/dueAt")
        if problems.isEmpty { problems.add("handout", TeachingText.sentence(refusal, texts)) }
        return problems
    }
}

extension LocalTime {
    /// As date and time fields show it.
    var fields: (date: String, time: String) {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return (day.description, "\(two(hour)):\(two(minute))")
    }
}

extension String {
    /// Without space and line ends around it.
    var trimmedSpace: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
