import Contract

/// What an import changes, or would change.
enum ImportPlan {
    private static let columns: [ImportsText] = [
        .rows, .created, .changed, .unchanged, .removed, .skipped, .leftOut,
    ]

    private static func figure(_ column: ImportsText, of file: Document<ImportFile>) -> Int {
        switch column {
        case .rows: file.rows
        case .created: file.created
        case .changed: file.changed
        case .unchanged: file.unchanged
        case .removed: file.removed
        case .skipped: file.skipped
        default: file.leftOut
        }
    }

    /// File by file.
    static func counts(_ details: Document<ImportDetails>, _ texts: Texts) -> HTML {
        let files = details.files
        guard !files.isEmpty else { return .nothing }
        let title = texts(
            [.succeeded, .undone].contains(details.summary.state)
                ? ImportsText.didHappen : .wouldHappen)
        return section(.class("stack")) {
            h2 { title }
            Console.table(
                title,
                head: [Console.column(texts(ImportsText.fileColumn))]
                    + columns.map { Console.column(texts($0), "end") }
            ) {
                for file in files {
                    tr {
                        th(.scope("row"), .class("code")) { file.name.text }
                        for column in columns {
                            td(.class("end number")) {
                                number(figure(column, of: file), column, texts)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func number(_ value: Int, _ column: ImportsText, _ texts: Texts) -> HTML {
        guard column == .removed, value > 0 else { return .text(texts.number(value)) }
        return strong { span(.class("bad")) { texts.number(value) } }
    }

    /// How many rows of all files are changed in that way.
    static func total(_ details: Document<ImportDetails>, _ change: RowChange) -> Int {
        details.files.reduce(0) { $0 + $1.count(change) }
    }

    // MARK: The decision

    /// Says that the archive may lack a part of the school, and how much of it, or that some of those who would be removed
    /// may be in it.
    static func warning(_ details: Document<ImportDetails>, _ texts: Texts) -> HTML {
        let removesMuch = details.summary.removesMuch
        return notice(.bad, .warn) {
            h2 { texts(removesMuch ? ImportsText.removesTitle : .presentTitle) }
            ul(.class("plain")) {
                for removal in details.removals where removal.removed > 0 {
                    if let kind = removal.kind.known {
                        li {
                            texts(
                                self.removal(of: kind),
                                [
                                    "removed": texts.number(removal.removed),
                                    "present": texts.number(removal.present),
                                ])
                        }
                    }
                }
            }
            p { texts(removesMuch ? ImportsText.removesAdvice : .presentAdvice) }
        }
    }

    private static func removal(of kind: RemovalKind) -> ImportsText {
        switch kind {
        case .people: .removesPeople
        case .classes: .removesClasses
        case .seats: .removesSeats
        }
    }

    /// Whether the form says that the removals have been read: by their number where they are many, by a box where
    /// they are few. Where there are none, there is nothing to say.
    static func isConfirmed(by form: Form, _ details: Document<ImportDetails>) -> Bool {
        let removed = total(details, .removed)
        guard details.summary.mayRemoveMuch else { return removed == 0 || form.has("understood") }
        // However thousands are set apart.
        let digits = form["removed"].compactMap(\.wholeNumberValue).map(String.init).joined()
        return digits == String(removed)
    }

    /// The form that applies the plan.
    static func decision(
        _ details: Document<ImportDetails>, isUnread: Bool, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let summary = details.summary
        return postForm(visit, "/imports/\(summary.id)/approval", .class("card reading")) {
            h2 { texts(ImportsText.decision) }
            confirmation(total(details, .removed), summary, isUnread: isUnread, texts)
            div(.class("row")) {
                button(.class("button button-main"), .type("submit")) {
                    texts(ImportsText.approve)
                }
            }
            p(.class("small soft")) { texts(ImportsText.approveNote) }
        }
    }

    /// What the person has to say before the plan is applied.
    @HTMLBuilder
    private static func confirmation(
        _ removed: Int, _ summary: Document<ImportSummary>, isUnread: Bool, _ texts: Texts
    ) -> [HTML] {
        if summary.mayRemoveMuch {
            field(
                "removed", label: texts(ImportsText.removedNumber),
                hint: texts(
                    ImportsText.removedNumberHint, ["count": texts.number(removed)]),
                problem: isUnread ? texts(ImportsText.errorRemovedNumber) : nil,
                style: "input input-short", Attribute("inputmode", "numeric"),
                .autocomplete("off"), .required)
        } else if removed > 0 {
            if isUnread {
                p(.class("problem"), .role("alert")) {
                    Icon.warn.html
                    texts(ImportsText.errorUnderstood)
                }
            }
            label(.class("choice")) {
                input(.type("checkbox"), .name("understood"), .value("yes"))
                span { texts(ImportsText.understood, count: removed) }
            }
        }
    }
}
