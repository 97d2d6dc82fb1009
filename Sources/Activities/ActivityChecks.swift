import JSONBytes
import School
import Values

/// What a shape cannot say about activities: how their fields go together.
enum ActivityChecks {
    /// Everything that is wrong, at most a hundred things, each with its pointer.
    static func errors(in activities: [Fields]) -> [Problem.Invalid] {
        var findings: [Problem.Invalid] = []
        for (index, activity) in activities.enumerated() where findings.count < 100 {
            check(activity, at: "/activities/\(index)", into: &findings)
        }
        return Array(findings.prefix(100))
    }

    private static func check(
        _ activity: Fields, at place: String, into findings: inout [Problem.Invalid]
    ) {
        for name in ["startedAt", "stoppedAt", "modifiedAt"] {
            if let moment = activity.timestamp(name), moment.milliseconds < 0 {
                findings.add("\(place)/\(name)", "out_of_range", "A time before 1970.")
            }
        }
        if let started = activity.timestamp("startedAt"),
            let stopped = activity.timestamp("stoppedAt"), stopped < started
        {
            findings.add("\(place)/stoppedAt", "out_of_order", "This is before startedAt.")
        }
        for (index, range) in (activity.list("progressRanges") ?? []).enumerated() {
            guard let start = range[0]?.double, let end = range[1]?.double, start < end else {
                findings.add(
                    "\(place)/progressRanges/\(index)", "out_of_order",
                    "A range ends after it starts.")
                if findings.count >= 100 { return }
                continue
            }
        }
        checkItems(activity, at: place, into: &findings)
    }

    private static func checkItems(
        _ activity: Fields, at place: String, into findings: inout [Problem.Invalid]
    ) {
        var identifiers: Set<String> = []
        var items: [(place: String, item: Fields)] = []
        if let primary = activity.fields("primaryItem") {
            items.append((place: "\(place)/primaryItem", item: primary))
        }
        for (index, item) in (activity.objects("additionalItems") ?? []).enumerated() {
            items.append((place: "\(place)/additionalItems/\(index)", item: item))
        }
        for (place, item) in items {
            if let identifier = item.text("identifier"), !identifiers.insert(identifier).inserted {
                findings.add(
                    "\(place)/identifier", "duplicate", "Another item of the activity has this.")
            }
            if item.text("kind") == "score" { checkScore(item, at: place, into: &findings) }
        }
    }

    private static func checkScore(
        _ item: Fields, at place: String, into findings: inout [Problem.Invalid]
    ) {
        guard let score = item.number("score"), let maximum = item.number("maxScore") else {
            return
        }
        if maximum <= 0 {
            findings.add("\(place)/maxScore", "out_of_range", "The maximum is more than 0.")
        } else if !(0...maximum).contains(score) {
            findings.add("\(place)/score", "out_of_range", "A score is from 0 to maxScore.")
        }
    }
}

extension [Problem.Invalid] {
    fileprivate mutating func add(_ pointer: String, _ code: String, _ detail: String) {
        append(Problem.Invalid(pointer: pointer, code: code, detail: detail))
    }
}
