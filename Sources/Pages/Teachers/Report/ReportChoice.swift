/// Which students a report shows, and in which order: both are in the address.
struct ReportChoice: Sendable {
    enum Filter: String, Sendable, CaseIterable {
        case everyone = "", open, late, again

        fileprivate func holds(_ row: HandoutReport.Row) -> Bool {
            switch self {
            case .everyone: true
            case .open: !row.isDone && !row.isBeforeJoined
            case .late: row.isLate
            case .again: row.hasSeveralAttempts
            }
        }

        fileprivate var title: ReportText {
            switch self {
            case .everyone: .showEveryone
            case .open: .showOpen
            case .late: .showLate
            case .again: .showAgain
            }
        }
    }

    let filter: Filter
    /// The task by which students are sorted, whose number in the address starts at 1; `nil` sorts by name.
    let task: Int?

    init(_ visit: Visit, taskCount: Int) {
        filter = visit.query("show").flatMap(Filter.init(rawValue:)) ?? .everyone
        task = visit.query("sort").flatMap { Int($0) }
            .flatMap { (1...max(1, taskCount)).contains($0) && taskCount > 0 ? $0 - 1 : nil }
    }

    /// The students to show. By a task, those come first who need the teacher: not opened, then opened, then done, and
    /// among them the least progress.
    func chosen(_ rows: [HandoutReport.Row]) -> [HandoutReport.Row] {
        let shown = rows.filter(filter.holds)
        guard let task else { return shown }
        return shown.enumerated().sorted { left, right in
            key(left, task) < key(right, task)
        }.map(\.element)
    }

    private func key(
        _ row: (offset: Int, element: HandoutReport.Row), _ task: Int
    ) -> (Int, Double, Int) {
        guard row.element.works.indices.contains(task) else { return (3, 0, row.offset) }
        let work = row.element.works[task]
        return (work.urgency, work.progress ?? 0, row.offset)
    }

    func address(_ visit: Visit, sortedBy task: Int?) -> LocalPath {
        address(visit, filter, task)
    }

    private func address(_ visit: Visit, _ filter: Filter, _ task: Int?) -> LocalPath {
        visit.address.withoutQuery.with("show", filter.rawValue.nilIfEmpty)
            .with("sort", task.map { "\($0 + 1)" })
    }

    /// The links to every filter, with how many students each shows.
    func links(_ rows: [HandoutReport.Row], _ visit: Visit) -> HTML {
        let texts = visit.texts
        return nav(.class("pills no-print"), .label(texts(ReportText.show))) {
            for filter in Filter.allCases {
                a(.href(address(visit, filter, task)), .current(filter == self.filter, "true")) {
                    texts(filter.title)
                    span(.class("number soft")) { texts.number(rows.count(where: filter.holds)) }
                }
            }
        }
    }
}
