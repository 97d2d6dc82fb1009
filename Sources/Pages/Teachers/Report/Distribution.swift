/// How the students of a task are spread: a bar for each result, and how many have it.
struct Distribution: Sendable {
    struct Bar: Sendable, Equatable {
        let label: String
        let count: Int
    }

    /// What the bars are about.
    let title: ReportText
    let bars: [Bar]

    /// By the primary item of the latest attempt; by progress where the app reports none.
    init(_ task: HandoutReport.Task, _ texts: Texts) {
        let items = task.items
        switch task.primaryKind {
        case "score" where !items.isEmpty:
            title = .spreadScore
            bars = Self.scores(items, texts)
        case "quantity" where !items.isEmpty:
            title = .spreadQuantity
            let values = items.compactMap { item -> Double? in
                if case .quantity(let value) = item.value { value } else { nil }
            }
            bars = Self.ranges(values, texts)
        case "binary" where !items.isEmpty:
            title = .spreadResult
            bars = Self.pairs(items, texts)
        default:
            title = .spreadProgress
            bars = Self.shares(task.works.compactMap(\.progress), texts)
        }
    }

    /// How many students are counted.
    var total: Int { bars.reduce(0) { $0 + $1.count } }

    /// One bar for each point where all have the same small maximum and whole points; otherwise shares of the maximum.
    private static func scores(_ items: [ActivityItem], _ texts: Texts) -> [Bar] {
        let scores = items.compactMap { item -> (value: Double, maximum: Double)? in
            if case .score(let value, let maximum) = item.value { (value, maximum) } else { nil }
        }
        let maxima = Set(scores.map(\.maximum))
        if let maximum = maxima.first, maxima.count == 1, (1...10).contains(maximum),
            maximum == maximum.rounded(),
            scores.allSatisfy({
                $0.value == $0.value.rounded() && (0...maximum).contains($0.value)
            })
        {
            return (0...Int(maximum)).map { point in
                Bar(
                    label: texts.number(point),
                    count: scores.count { $0.value == Double(point) })
            }
        }
        return shares(scores.map { $0.maximum > 0 ? $0.value / $0.maximum : 0 }, texts)
    }

    private static func pairs(_ items: [ActivityItem], _ texts: Texts) -> [Bar] {
        let pair = items.compactMap(\.pair).first ?? .passFail
        let positive = items.count { item in
            if case .binary(true, _) = item.value { true } else { false }
        }
        return [
            Bar(label: texts(pair.positive), count: positive),
            Bar(label: texts(pair.negative), count: items.count - positive),
        ]
    }

    /// Fifths, and a bar of its own for all of it.
    private static func shares(_ shares: [Double], _ texts: Texts) -> [Bar] {
        var counts = [Int](repeating: 0, count: 6)
        for share in shares {
            let percent = (share * 100).rounded()
            counts[percent >= 100 ? 5 : max(0, min(4, Int(percent / 20)))] += 1
        }
        return counts.indices.map { index in
            Bar(
                label: index == 5 ? texts.percent(1) : "\(index * 20)–\(index * 20 + 19)",
                count: counts[index])
        }
    }

    /// A bar for each value if there are few, otherwise five ranges of the same width.
    private static func ranges(_ values: [Double], _ texts: Texts) -> [Bar] {
        let distinct = Set(values).sorted()
        if distinct.count <= 8 {
            return distinct.map { value in
                Bar(label: texts.number(value), count: values.count { $0 == value })
            }
        }
        let (low, high) = (distinct[0], distinct[distinct.count - 1])
        let width = (high - low) / 5
        return (0..<5).map { index in
            let from = low + width * Double(index)
            let to = index == 4 ? high : from + width
            return Bar(
                label: "\(texts.number(from))–\(texts.number(to))",
                count: values.count { $0 >= from && (index == 4 ? $0 <= to : $0 < to) })
        }
    }
}

// MARK: As a picture and as a table

extension Distribution {
    private static let rect = Tag("rect")
    private static let line = Tag("line")
    private static let word = Tag("text")

    /// The chart, whose title names the most common result, and the same figures as a table.
    @HTMLBuilder
    func html(_ texts: Texts) -> [HTML] {
        p(.class("small soft")) { texts(title) }
        chart(texts)
        details(.class("fold small")) {
            summary { texts(ReportText.asTable) }
            table(.class("table")) {
                thead {
                    tr {
                        th(.scope("col")) { texts(ReportText.result) }
                        th(.scope("col")) { texts(ReportText.students) }
                    }
                }
                tbody {
                    for bar in bars {
                        tr {
                            th(.scope("row")) { bar.label }
                            td(.class("number")) { texts.number(bar.count) }
                        }
                    }
                }
            }
        }
    }

    private func chart(_ texts: Texts) -> HTML {
        let most = bars.max { $0.count < $1.count } ?? Bar(label: "", count: 0)
        let finding = texts(
            ReportText.mostCommon, count: total,
            ["result": most.label, "most": texts.number(most.count)])
        let step = 264 / Double(max(bars.count, 1))
        return svg(
            .class("chart chart-small"), Attribute("viewBox", "0 0 264 96"), .role("img"),
            .label(finding)
        ) {
            for (index, bar) in bars.enumerated() {
                self.bar(bar, x: step * Double(index), width: step, of: most.count)
            }
            Self.line(
                .class("base"), Attribute("x1", "0"), Attribute("x2", "264"),
                Attribute("y1", "76.5"), Attribute("y2", "76.5"))
        }
    }

    @HTMLBuilder
    private func bar(_ bar: Bar, x: Double, width: Double, of most: Int) -> [HTML] {
        let middle = "\(Int((x + width / 2).rounded()))"
        let height = most == 0 ? 0 : Int((Double(bar.count) / Double(most) * 56).rounded())
        if bar.count > 0 {
            Self.rect(
                .class("fill"), Attribute("x", "\(Int((x + 2).rounded()))"),
                Attribute("y", "\(76 - height)"),
                Attribute("width", "\(max(1, Int((width - 4).rounded())))"),
                Attribute("height", "\(height)"), Attribute("rx", "2"))
            Self.word(
                .class("value"), Attribute("x", middle), Attribute("y", "\(72 - height)"),
                Attribute("text-anchor", "middle")
            ) { "\(bar.count)" }
        }
        Self.word(
            Attribute("x", middle), Attribute("y", "91"), Attribute("text-anchor", "middle")
        ) { bar.label }
    }
}
