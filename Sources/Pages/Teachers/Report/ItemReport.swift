import JSONBytes
import Values

enum ItemsText: String, TextKey {
    case title, answered, result, missedMost, caption, question, missed, averageColumn, who,
        missedCount
    case missedStudents, others, othersHint, figure, classColumn, spread, pairCounts, more
    case emptyTitle, emptyAdvice, mixed

    static let section = "items"
}

/// `/handouts/{id}/tasks/{task}/items`: which question of a task the class missed most.
enum ItemReport: Screen {
    static var pages: [Page] {
        [
            .show("/handouts/{id}/tasks/{task}/items", for: .teacher, load: load, render: view),
            .get("/handouts/{id}/tasks/{task}/items.csv", for: .teacher) { visit in
                .response(try await visit.table(path(visit)))
            },
        ]
    }

    struct Content: Sendable {
        let handout: String
        let task: String
        let studentsWithData: Int
        let generatedAt: Timestamp?
        /// What the task came to: the primary item, if it stands beside others.
        let result: ReportedItem?
        /// What can be missed, the most missed first.
        let questions: [ReportedItem]
        /// What is neither right nor wrong.
        let figures: [ReportedItem]
        let missedMost: ReportedItem?
        let nextPage: String?
        /// Where the task is, if it is in a tool.
        let tool: String?
        let schoolClass: Side.SchoolClass?
    }

    private static func path(_ visit: Visit) -> LocalPath {
        "/v1/handouts/\(visit["id"])/tasks/\(visit["task"])/items?limit=1000"
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let asked = visit.api.get(path(visit).with("pageToken", visit.query("page")))
        let handout = try await visit.api.get("/v1/handouts/\(visit["id"])")
        async let schoolClass = visit.schoolClass(of: handout)
        let report = try await asked
        let items = (report["items"]?.array ?? []).map { ReportedItem($0) }
        let most = report["missedMost"]?.text
        let result = items.first { $0.isPrimary && $0.missedShare == nil && items.count > 1 }
        return await Content(
            handout: report["handout"]?["title"]?.text ?? "",
            task: report["task"]?["title"]?.text ?? "",
            studentsWithData: report["studentsWithData"]?.int64.map { Int($0) } ?? 0,
            generatedAt: report.moment("generatedAt"), result: result,
            questions: items.filter { $0.missedShare != nil }
                .sorted { ($0.missedShare ?? 0) > ($1.missedShare ?? 0) },
            figures: items.filter {
                $0.missedShare == nil && $0.identifier != result?.identifier
            },
            missedMost: items.first { $0.identifier == most && $0.missed > 0 },
            nextPage: report["nextPageToken"]?.text, tool: tool(of: visit["task"], in: handout),
            schoolClass: schoolClass)
    }

    private static func tool(of task: String, in handout: JSONValue) -> String? {
        (handout["tasks"]?.array ?? []).first { $0["id"]?.text == task }?["toolName"]?.text
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ItemsText.title)) {
            head(content, visit)
            result(content.result, texts)
            if content.result == nil && content.questions.isEmpty && content.figures.isEmpty {
                emptyBox(texts(ItemsText.emptyTitle), texts(ItemsText.emptyAdvice))
            }
            if let most = content.missedMost {
                notice(.plain, .info) {
                    p {
                        texts.html(
                            ItemsText.missedMost, count: most.students,
                            [
                                "question": written(most.title),
                                "missed": .text(texts.number(most.missed)),
                            ])
                    }
                }
            }
            questions(content.questions, texts)
            figures(content.figures, texts)
            if let next = content.nextPage {
                nav(.class("pages"), .label(texts(ItemsText.more))) {
                    a(
                        .class("button"), .rel("next"),
                        .href(visit.address.withoutQuery.with("page", next))
                    ) {
                        texts(ItemsText.more)
                        " "
                        Icon.next.html
                    }
                }
            }
        }
    }

    /// Above the questions, whose sum it is.
    private static func result(_ item: ReportedItem?, _ texts: Texts) -> HTML {
        guard let item else { return .nothing }
        return p(.class("strong")) {
            texts.html(
                ItemsText.result,
                ["name": written(item.title), "figure": .text(item.classWords(texts))])
        }
    }

    private static func head(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let id = visit["id"]
        return div {
            crumbs(content.schoolClass, handout: (id, content.handout), texts)
            heading(
                texts(ItemsText.title),
                below: texts.html(
                    ItemsText.answered, count: content.studentsWithData,
                    ["task": written(content.task)])
            ) {
                if let tool = content.tool {
                    a(.class("button no-print"), .href("/open-tool/\(visit["task"])")) {
                        Icon.out.html
                        texts(ToolTaskText.open, ["tool": tool])
                    }
                }
                a(
                    .class("button"),
                    .href("/handouts/\(id)/tasks/\(visit["task"])/items.csv")
                ) {
                    Icon.csv.html
                    texts(ReportText.csv)
                }
                printButton(texts)
            }
            asOf(content.generatedAt, visit)
        }
    }

    private static func questions(_ items: [ReportedItem], _ texts: Texts) -> HTML {
        guard !items.isEmpty else { return .nothing }
        return div(
            .class("table-box"), .role("region"), .labelledBy("questions"), .tabindex(0)
        ) {
            table(.class("table")) {
                caption(.id("questions")) { texts(ItemsText.caption) }
                thead {
                    tr {
                        th(.scope("col")) { texts(ItemsText.question) }
                        th(.scope("col"), Attribute("aria-sort", "descending")) {
                            texts(ItemsText.missed)
                        }
                        th(.scope("col")) { texts(ItemsText.averageColumn) }
                        th(.scope("col")) { texts(ItemsText.who) }
                    }
                }
                tbody { for item in items { item.question(texts) } }
            }
        }
    }

    private static func figures(_ items: [ReportedItem], _ texts: Texts) -> HTML {
        guard !items.isEmpty else { return .nothing }
        return section(.class("stack")) {
            h2(.id("figures")) { texts(ItemsText.others) }
            p(.class("soft")) { texts(ItemsText.othersHint) }
            div(.class("table-box"), .role("region"), .labelledBy("figures"), .tabindex(0)) {
                table(.class("table")) {
                    thead {
                        tr {
                            th(.scope("col")) { texts(ItemsText.figure) }
                            th(.scope("col")) { texts(ItemsText.classColumn) }
                        }
                    }
                    tbody {
                        for item in items {
                            tr {
                                th(.scope("row"), .dirAuto) { item.title }
                                td { item.classWords(texts) }
                            }
                        }
                    }
                }
            }
        }
    }
}
