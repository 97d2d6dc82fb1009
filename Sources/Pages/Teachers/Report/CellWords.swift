import Contract

/// The words in the cells of one table. Hundreds of cells say few different things, so each is made once.
struct CellWords {
    private let texts: Texts
    private var tags: [TaskWork.State: HTML] = [:]
    private var items: [ActivityItem.Value: String] = [:]
    private var durations: [Int: String] = [:]
    private var attempts: [Int: String] = [:]
    private var bars: [Int: HTML] = [:]

    init(_ texts: Texts) { self.texts = texts }

    /// The tags on the state of a task.
    mutating func tags(of work: TaskWork) -> HTML {
        let texts = texts
        return remembered(&tags, work.state) { HTML.parts(work.tags(texts)).written }
    }

    /// The bar beside a share from 0 to 1.
    mutating func bar(_ share: Double) -> HTML {
        remembered(&bars, Int((share * 100).rounded())) { progressBar(share).written }
    }

    /// `7 of 10`, `Passed`, `2`.
    mutating func figure(of item: ActivityItem) -> String {
        let texts = texts
        return remembered(&items, item.value) { item.words(texts) }
    }

    /// `13 of 15 points · 100% · 27 min · 2 attempts`; empty if nothing is recorded or marked.
    mutating func figures(of work: TaskWork) -> String {
        let texts = texts
        let mark = work.mark.map { [texts.worth($0.points, of: $0.maximum)] } ?? []
        guard work.attempts > 0 else { return mark.joined() }
        var parts = mark + (work.progress.map { [texts.percent($0)] } ?? [])
        if let minutes = work.seconds.map({ texts.minutes(of: $0) }) {
            parts.append(remembered(&durations, minutes) { texts.duration(minutes: minutes) })
        }
        parts.append(
            remembered(&attempts, work.attempts) {
                texts(ReportText.attempts, count: work.attempts)
            })
        return parts.joined(separator: " · ")
    }
}

private func remembered<Key: Hashable, Words>(
    _ known: inout [Key: Words], _ key: Key, _ make: () -> Words
) -> Words {
    if let words = known[key] { return words }
    let words = make()
    known[key] = words
    return words
}
