import JSONBytes

/// What an import changes, or would change.
enum ImportPlan {
    private static let figures: [(name: String, text: ImportsText)] = [
        ("rows", .rows), ("created", .created), ("changed", .changed), ("unchanged", .unchanged),
        ("removed", .removed), ("skipped", .skipped), ("leftOut", .leftOut),
    ]

    /// File by file.
    static func counts(
        _ details: JSONValue, _ summary: ImportSummary, _ texts: Texts
    ) -> HTML {
        let files = details["files"]?.array ?? []
        guard !files.isEmpty else { return .nothing }
        let title = texts(
            [.succeeded, .undone].contains(summary.status)
                ? ImportsText.didHappen : .wouldHappen)
        return section(.class("stack")) {
            h2 { title }
            Console.table(
                title,
                head: [Console.column(texts(ImportsText.fileColumn))]
                    + figures.map { Console.column(texts($0.text), "end") }
            ) {
                for file in files {
                    tr {
                        th(.scope("row"), .class("code")) { file["name"]?.text ?? "" }
                        for figure in figures {
                            td(.class("end number")) { number(file, figure.name, texts) }
                        }
                    }
                }
            }
        }
    }

    private static func number(_ file: JSONValue, _ name: String, _ texts: Texts) -> HTML {
        let value = Int(file[name]?.int64 ?? 0)
        guard name == "removed", value > 0 else { return .text(texts.number(value)) }
        return strong { span(.class("bad")) { texts.number(value) } }
    }

    /// How many rows of all files are changed in that way.
    static func total(_ details: JSONValue, _ name: String) -> Int {
        (details["files"]?.array ?? []).reduce(0) { $0 + Int($1[name]?.int64 ?? 0) }
    }

    // MARK: The decision

    /// Says that the archive may lack a part of the school, and how much of it, or that some of those who would be removed
    /// may be in it.
    static func warning(_ details: JSONValue, _ texts: Texts) -> HTML {
        let removesMuch = details["removesMuch"]?.bool == true
        return notice(.bad, .warn) {
            h2 { texts(removesMuch ? ImportsText.removesTitle : .presentTitle) }
            ul(.class("plain")) {
                for removal in details["removals"]?.array ?? [] {
                    if let key = removals[removal["kind"]?.text ?? ""],
                        let removed = removal["removed"]?.int64, removed > 0
                    {
                        li {
                            texts(
                                key,
                                [
                                    "removed": texts.number(Int(removed)),
                                    "present": texts.number(Int(removal["present"]?.int64 ?? 0)),
                                ])
                        }
                    }
                }
            }
            p { texts(removesMuch ? ImportsText.removesAdvice : .presentAdvice) }
        }
    }

    private static let removals: [String: ImportsText] = [
        "people": .removesPeople, "classes": .removesClasses, "seats": .removesSeats,
    ]

    /// Whether the form says that the removals have been read: by their number where they are many, by a box where
    /// they are few. Where there are none, there is nothing to say.
    static func isConfirmed(
        by form: Form, _ details: JSONValue, _ summary: ImportSummary
    ) -> Bool {
        let removed = total(details, "removed")
        guard summary.removesMuch else { return removed == 0 || form.has("understood") }
        // However thousands are set apart.
        let digits = form["removed"].compactMap(\.wholeNumberValue).map(String.init).joined()
        return digits == String(removed)
    }

    /// The form that applies the plan.
    static func decision(
        _ details: JSONValue, _ summary: ImportSummary, isUnread: Bool, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return postForm(visit, "/imports/\(summary.id)/approval", .class("card reading")) {
            h2 { texts(ImportsText.decision) }
            confirmation(total(details, "removed"), summary, isUnread: isUnread, texts)
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
        _ removed: Int, _ summary: ImportSummary, isUnread: Bool, _ texts: Texts
    ) -> [HTML] {
        if summary.removesMuch {
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
