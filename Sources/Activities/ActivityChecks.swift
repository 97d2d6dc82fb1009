import JSONBytes
import School
import Values

/// What a shape cannot say about activities: how their fields go together.
enum ActivityChecks {
    /// Everything that is wrong, at most a hundred things, each with its pointer.
    static func errors(in parts: [ActivityPart]) -> [Problem.Invalid] {
        var findings: [Problem.Invalid] = []
        for (index, part) in parts.enumerated() where findings.count < 100 {
            check(part, at: "/activities/\(index)", into: &findings)
        }
        return Array(findings.prefix(100))
    }

    private static func check(
        _ part: ActivityPart, at place: String, into findings: inout [Problem.Invalid]
    ) {
        for (name, moment) in [
            ("startedAt", part.startedAt), ("stoppedAt", part.stoppedAt),
            ("modifiedAt", part.modifiedAt),
        ] {
            if let moment, moment.milliseconds < 0 {
                findings.add("\(place)/\(name)", "out_of_range", "A time before 1970.")
            }
        }
        if let started = part.startedAt, let stopped = part.stoppedAt, stopped < started {
            findings.add("\(place)/stoppedAt", "out_of_order", "This is before startedAt.")
        }
        for (index, range) in part.progressRanges.enumerated() where range.start >= range.end {
            findings.add(
                "\(place)/progressRanges/\(index)", "out_of_order",
                "A range ends after it starts.")
            if findings.count >= 100 { return }
        }
        checkItems(part, at: place, into: &findings)
    }

    private static func checkItems(
        _ part: ActivityPart, at place: String, into findings: inout [Problem.Invalid]
    ) {
        var identifiers: Set<String> = []
        var items: [(place: String, item: Fields)] = []
        if let primary = part.primaryItem {
            items.append((place: "\(place)/primaryItem", item: primary))
        }
        for (index, item) in part.additionalItems.enumerated() {
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
