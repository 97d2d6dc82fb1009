import Contract

/// The table of a report: class averages first, then a row for each student.
struct ReportGrid: Sendable {
    let report: HandoutReport
    let choice: ReportChoice
    let handoutID: String
    /// The tasks that are links, about which no app reports anything.
    let links: Set<String>
    let visit: Visit

    private var texts: Texts { visit.texts }

    var html: HTML {
        let rows = choice.chosen(report.rows)
        var words = CellWords(texts)
        return div(
            .class("table-box table-tall"), .role("region"), .labelledBy("grid"), .tabindex(0)
        ) {
            table(.class("table table-fixed")) {
                thead { heads }
                tbody {
                    averages
                    // Written row by row, so that the memory of one serves the next.
                    for row in rows { line(row, &words).written }
                }
            }
            if rows.isEmpty {
                emptyBox(
                    texts(report.rows.isEmpty ? ReportText.noStudents : .nobodyShown),
                    report.rows.isEmpty ? nil : texts(ReportText.nobodyAdvice))
            }
        }
    }

    private var heads: HTML {
        tr {
            th(.scope("col"), sorted(choice.task == nil)) {
                a(.href(choice.address(visit, sortedBy: nil))) { texts(ReportText.student) }
            }
            for (index, task) in report.tasks.enumerated() {
                th(.scope("col"), sorted(choice.task == index)) {
                    if links.contains(task.id) {
                        written(task.title)
                    } else {
                        a(.href("/handouts/\(handoutID)/tasks/\(task.id)/items"), .dirAuto) {
                            task.title
                        }
                    }
                    br()
                    a(
                        .class("small no-print"),
                        .href(choice.address(visit, sortedBy: index)),
                        .label(texts(ReportText.sortBy, ["task": task.title]))
                    ) { texts(ReportText.sort) }
                }
            }
        }
    }

    private func sorted(_ isSorted: Bool) -> Attribute {
        Attribute("aria-sort", isSorted ? "ascending" : nil)
    }

    private var averages: HTML {
        tr(.class("average")) {
            th(.scope("row")) { texts(ReportText.average) }
            for task in report.tasks { td { average(task) } }
        }
    }

    private func average(_ task: HandoutReport.Task) -> HTML {
        guard task.studentsWithData > 0 else {
            return span(.class("small soft")) { texts(ReportText.noData) }
        }
        let figure = task.average.words(task.items, texts)
        return div(.class("cell")) {
            div(.class("cell-top")) {
                if let progress = task.averageProgress {
                    span(.class("strong number")) { texts.percent(progress) }
                }
                if !figure.isEmpty { span(.class("strong number cell-end")) { figure } }
            }
            span(.class("small soft number")) {
                [
                    task.averageSeconds.map(texts.duration),
                    texts(ReportText.withData, ["n": texts.number(task.studentsWithData)]),
                ].compactMap { $0 }.joined(separator: " · ")
            }
        }
    }

    private func line(_ row: HandoutReport.Row, _ words: inout CellWords) -> HTML {
        tr {
            th(.scope("row")) {
                a(.href("/handouts/\(handoutID)/students/\(row.student.id)"), .dirAuto) {
                    row.student.name
                }
                if let mark = row.mark {
                    br()
                    span(.class("small soft number")) {
                        texts.worth(mark.points, of: mark.maximum)
                    }
                }
            }
            for work in row.works { td { work.cell(&words) } }
        }
    }
}
