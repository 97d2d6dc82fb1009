import JSONBytes

/// What a class did at one item of a task.
struct ReportedItem: Sendable {
    let identifier: String
    let title: String
    let isPrimary: Bool
    let hasMixedKinds: Bool
    /// Students who have it.
    let students: Int
    let missed: Int
    /// `nil` for what cannot be missed.
    let missedShare: Double?
    let average: ItemAverage
    let whoMissed: [HandoutReport.Student]
    let items: [ActivityItem]

    init(_ item: JSONValue) {
        let cells = item["students"]?.array ?? []
        identifier = item["identifier"]?.text ?? ""
        title = item["title"]?.text ?? ""
        isPrimary = item["isPrimary"]?.bool ?? false
        hasMixedKinds = item["mixedKinds"]?.bool ?? false
        students = item["studentsWithItem"]?.int64.map { Int($0) } ?? 0
        missed = item["studentsMissed"]?.int64.map { Int($0) } ?? 0
        missedShare = item["missedShare"]?.double
        average = ItemAverage(item["classAverage"])
        whoMissed = cells.filter { $0["missed"]?.bool == true }
            .map { HandoutReport.Student($0) }
        items = cells.compactMap { ActivityItem($0["item"]) }
    }

    /// A row of the table of questions.
    func question(_ texts: Texts) -> HTML {
        tr {
            th(.scope("row"), .dirAuto) { title }
            td(.class("wide")) { meter(texts) }
            td(.class("number")) { average.words(items, texts) }
            td { who(texts) }
        }
    }

    private func meter(_ texts: Texts) -> HTML {
        let share = missedShare ?? 0
        let count = texts.html(
            ItemsText.missedCount, count: students, ["missed": .text(texts.number(missed))])
        return div(.class("meter meter-l")) {
            span(.class("number")) { count }
            progressBar(share, class: share >= 0.5 ? "is-bad" : "")
        }
    }

    private func who(_ texts: Texts) -> HTML {
        guard !whoMissed.isEmpty else { return .nothing }
        return details(.class("fold")) {
            summary { texts(ItemsText.missedStudents, count: whoMissed.count) }
            ul { for student in whoMissed { li(.dirAuto) { student.name } } }
        }
    }

    /// What the class comes to, for an item that is neither right nor wrong.
    func classWords(_ texts: Texts) -> String {
        if hasMixedKinds { return texts(ItemsText.mixed) }
        let quantities = items.compactMap { item -> Double? in
            if case .quantity(let value) = item.value { value } else { nil }
        }
        let words = average.words(items, texts)
        if let low = quantities.min(), let high = quantities.max() {
            return texts(
                ItemsText.spread,
                ["average": words, "low": texts.number(low), "high": texts.number(high)])
        }
        guard let pair = items.compactMap(\.pair).first else { return words }
        let positive = items.count { item in
            if case .binary(true, _) = item.value { true } else { false }
        }
        return texts(
            ItemsText.pairCounts,
            [
                "positive": texts(pair.positive), "n": texts.number(positive),
                "negative": texts(pair.negative), "rest": texts.number(items.count - positive),
            ])
    }
}
