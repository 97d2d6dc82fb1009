import Values

/// The averages of a class over its handouts, as two curves.
struct ProgressChart: Sendable {
    private struct Point: Sendable {
        let x: Int
        let label: String
        let title: String
        let progress: Double?
        let score: Double?
    }

    /// The latest handouts with data, in the order in which they were due.
    private let points: [Point]
    private let texts: Texts

    private static let most = 12

    init(_ handouts: [TaughtHandout], _ visit: Visit) {
        texts = visit.texts
        let shown = handouts.filter { $0.meanProgress != nil || $0.meanScore != nil }
            .prefix(Self.most).sorted { Self.moment($0) < Self.moment($1) }
        let step = 656 / max(1, shown.count - 1)
        points = shown.enumerated().map { index, handout in
            let day = (handout.dueAt ?? handout.publishAt).map { visit.local($0).day }
            return Point(
                x: 74 + index * step,
                label: day.map { visit.texts.shortDay($0) } ?? "", title: handout.title,
                progress: handout.meanProgress, score: handout.meanScore)
        }
    }

    private static func moment(_ handout: TaughtHandout) -> Int64 {
        (handout.dueAt ?? handout.publishAt)?.milliseconds ?? 0
    }

    /// Empty with fewer than two points, which make no curve.
    var card: HTML {
        guard points.count > 1 else { return .nothing }
        return section(.class("card")) {
            h2(.id("chart")) { texts(ProgressText.chart) }
            p(.class("legend")) {
                key(.score, class: "curve")
                key(.progress, class: "curve curve-two")
            }
            div(
                .class("table-box plain-table"), .role("region"), .labelledBy("chart"),
                .tabindex(0)
            ) { chart }
            p(.class("small soft")) { texts(ProgressText.chartHint) }
        }
    }

    private static let line = Tag("line")
    private static let word = Tag("text")
    private static let polyline = Tag("polyline")
    private static let circle = Tag("circle")
    private static let rect = Tag("rect")
    private static let path = Tag("path")

    private func key(_ text: ProgressText, class name: String) -> HTML {
        span {
            svg(.class("chart"), Attribute("viewBox", "0 0 24 12"), .hidden) {
                Self.path(.class(name), Attribute("d", "M0 6h24"))
            }
            texts(text)
        }
    }

    private var chart: HTML {
        svg(
            .class("chart"), Attribute("viewBox", "0 0 760 270"), .role("img"), .label(finding)
        ) {
            for percent in stride(from: 0, through: 100, by: 25) { axis(percent) }
            curve("curve curve-two", points.map { ($0.x, $0.progress) })
            curve("curve", points.map { ($0.x, $0.score) })
            for point in points { marks(point) }
        }
    }

    private func axis(_ percent: Int) -> HTML {
        let y = "\(Self.height(Double(percent) / 100))"
        return parts {
            Self.line(
                .class("axis"), Attribute("x1", "48"), Attribute("x2", "760"), Attribute("y1", y),
                Attribute("y2", y))
            Self.word(
                Attribute("x", "42"), Attribute("y", y), Attribute("text-anchor", "end"),
                Attribute("dominant-baseline", "middle")
            ) { texts.percent(Double(percent) / 100) }
        }
    }

    private func curve(_ name: String, _ values: [(x: Int, value: Double?)]) -> HTML {
        let known = values.compactMap { point in
            point.value.map { "\(point.x),\(Self.height($0))" }
        }
        guard known.count > 1 else { return .nothing }
        return Self.polyline(.class(name), Attribute("points", known.joined(separator: " ")))
    }

    @HTMLBuilder
    private func marks(_ point: Point) -> [HTML] {
        if let progress = point.progress {
            Self.rect(
                .class("dot dot-two"), Attribute("x", "\(point.x - 4)"),
                Attribute("y", "\(Self.height(progress) - 4)"), Attribute("width", "9"),
                Attribute("height", "9"))
        }
        if let score = point.score {
            let y = Self.height(score)
            Self.circle(
                .class("dot"), Attribute("cx", "\(point.x)"), Attribute("cy", "\(y)"),
                Attribute("r", "5"))
            Self.word(
                .class("value"), Attribute("x", "\(point.x)"), Attribute("y", "\(y + 22)"),
                Attribute("text-anchor", "middle")
            ) { "\(Int((score * 100).rounded()))" }
        }
        Self.word(
            Attribute("x", "\(point.x)"), Attribute("y", "258"),
            Attribute("text-anchor", "middle")
        ) { point.label }
    }

    private static func height(_ share: Double) -> Int {
        220 - Int((min(max(share, 0), 1) * 200).rounded())
    }

    /// What the curves show, in a sentence.
    private var finding: String {
        guard let first = points.first, let last = points.last else { return "" }
        func words(_ point: Point) -> String {
            (point.score ?? point.progress).map(texts.percent) ?? ""
        }
        return texts(
            ProgressText.finding,
            [
                "first": words(first), "firstTitle": first.title, "last": words(last),
                "lastTitle": last.title,
            ])
    }
}
