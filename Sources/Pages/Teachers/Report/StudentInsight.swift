import JSONBytes

/// What stands out in a student's week.
struct StudentInsight: Sendable {
    enum Finding: String, Sendable, CaseIterable {
        case nothingDone, fellBehind, spedUp

        var title: InsightText {
            switch self {
            case .nothingDone: .nothingDone
            case .fellBehind: .fellBehind
            case .spedUp: .spedUp
            }
        }
    }

    enum Fact: String, Sendable {
        case nothingDone, lessDone, moreLate, lessTime, moreDone, moreEarly
    }

    /// What was due in a week, or in some weeks, and what became of it.
    struct Figures: Sendable {
        let tasks: Int
        let done: Int
        let late: Int
        let early: Int
        let recorded: Int
        let seconds: Double

        init(_ figures: JSONValue?) {
            func count(_ member: String) -> Int { figures?[member]?.int64.map { Int($0) } ?? 0 }
            tasks = count("tasks")
            done = count("done")
            late = count("late")
            early = count("early")
            recorded = count("recorded")
            seconds = figures?["durationSeconds"]?.double ?? 0
        }
    }

    let student: HandoutReport.Student
    let finding: Finding
    let facts: [Fact]
    let thisWeek: Figures
    let before: Figures
    let weeks: Int

    init?(_ item: JSONValue) {
        guard let finding = item["finding"]?.text.flatMap(Finding.init) else { return nil }
        self.finding = finding
        student = HandoutReport.Student(item)
        facts = (item["facts"]?.array ?? []).compactMap { $0.text.flatMap(Fact.init) }
        thisWeek = Figures(item["thisWeek"])
        before = Figures(item["before"])
        weeks = item["before"]?["weeks"]?.int64.map { Int($0) } ?? 0
    }

    /// A fact with its figures, those of the week strong.
    func sentence(on fact: Fact, _ texts: Texts) -> HTML {
        func counts(_ now: Int, _ before: Int) -> [String: HTML] {
            [
                "n": .text(texts.number(now)), "of": .text(texts.number(thisWeek.tasks)),
                "before": .text(texts.number(before)),
                "ofBefore": .text(texts.number(self.before.tasks)),
                "weeks": .text(texts.number(weeks)),
            ]
        }
        switch fact {
        case .nothingDone:
            return texts.html(InsightText.begunNone, counts(0, before.done))
        case .lessDone, .moreDone:
            return texts.html(InsightText.done, counts(thisWeek.done, before.done))
        case .moreLate: return texts.html(InsightText.late, counts(thisWeek.late, before.late))
        case .moreEarly:
            return texts.html(InsightText.early, counts(thisWeek.early, before.early))
        case .lessTime:
            return texts.html(
                InsightText.time,
                [
                    "time": .text(texts.duration(thisWeek.seconds)),
                    "tasks": .text(texts.number(thisWeek.recorded)),
                    "timeBefore": .text(texts.duration(before.seconds)),
                    "tasksBefore": .text(texts.number(before.recorded)),
                    "weeks": .text(texts.number(weeks)),
                ])
        }
    }
}

/// A class of which a week has something to say.
struct CountedClass: Sendable {
    let id: String
    let name: String
    let counts: [(finding: StudentInsight.Finding, count: Int)]

    init(_ item: JSONValue) {
        id = item["id"]?.text ?? ""
        name = item["name"]?.text ?? ""
        counts = StudentInsight.Finding.allCases.compactMap { finding in
            let count = item[finding.rawValue]?.int64.map { Int($0) } ?? 0
            return count > 0 ? (finding, count) : nil
        }
    }

    /// Links to the insights of classes; nothing without classes.
    static func list(_ classes: [CountedClass], _ visit: Visit) -> HTML {
        guard !classes.isEmpty else { return .nothing }
        let texts = visit.texts
        return section(.class("stack")) {
            h2(.id("insights")) { texts(TodayText.insights) }
            ul(.class("list list-boxed list-link list-wraps"), .labelledBy("insights")) {
                for item in classes {
                    li {
                        chip(item.name, id: item.id)
                        div(.class("grow")) {
                            a(.class("cover"), .href("/classes/\(item.id)/insights"), .dirAuto) {
                                item.name
                            }
                        }
                        div(.class("wrap-end")) {
                            for (finding, count) in item.counts {
                                span(.class("tag")) { texts(finding.title, count: count) }
                            }
                        }
                    }
                }
            }
        }
    }
}
