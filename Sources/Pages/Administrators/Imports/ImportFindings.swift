import Contract

/// What is wrong in an archive, by file and line.
enum ImportFindings {
    /// - Parameter isError: its errors, or else its warnings.
    static func section(
        _ details: Document<ImportDetails>, isError: Bool, _ texts: Texts
    ) -> HTML {
        let items = isError ? details.errors : details.warnings
        let count = isError ? details.summary.errorCount : details.summary.warningCount
        guard !items.isEmpty else { return .nothing }
        let title = texts(isError ? ImportsText.errors : .warnings, count: count)
        return Tag("section")(.class("stack")) {
            h2 { title }
            p(.class("soft")) { texts(isError ? ImportsText.errorsTitle : .warningsAdvice) }
            Console.table(
                title,
                head: [
                    Console.column(texts(ImportsText.fileColumn)),
                    Console.column(texts(ImportsText.lineColumn), "end"),
                    Console.column(texts(ImportsText.columnColumn)),
                    Console.column(texts(ImportsText.findingColumn)),
                ], isTall: true
            ) { for item in items { row(item, texts) } }
            p(.class("small soft")) {
                dotted([
                    .text(texts(ImportsText.headerLine)),
                    items.count < count
                        ? .text(texts(ImportsText.more, count: items.count)) : .nothing,
                ])
            }
        }
    }

    /// The kind is said in the reader's language. The sentence about a value comes from the API, in English: it quotes
    /// the archive.
    private static func row(_ item: Document<ImportError>, _ texts: Texts) -> HTML {
        tr {
            th(.scope("row"), .class("code")) {
                item.file ?? texts(ImportsText.wholeArchive)
            }
            td(.class("end number")) { item.line.map { texts.number($0) } ?? "" }
            td(.class("code")) { item.column ?? "" }
            td(.class("text")) {
                if texts.language != .english,
                    let kind = ImportKindText(code: item.code.text)
                {
                    p { texts(kind) }
                    p(.class("small soft"), .lang("en")) { item.text }
                } else {
                    p(.lang("en")) { item.text }
                }
            }
        }
    }
}
