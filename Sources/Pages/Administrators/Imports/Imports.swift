import Contract
import Values

enum ImportsText: String, TextKey {
    case title, intro, emptyTitle, emptyAdvice, when, status, size, findings
    case kilobytes, megabytes, preview, errors, warnings, importOf
    case nothingChanged, stillWorks, lookAgain, errorsTitle, errorsAdvice
    case warningsAdvice, fileColumn, lineColumn, columnColumn, findingColumn, wholeArchive, more
    case headerLine, rows, created, changed, unchanged, removed, skipped
    case didHappen, wouldHappen, changes, kindRemoved, kindChanged, kindCreated
    case recordColumn, changeColumn, differs, noChanges
    case removesTitle, removesPeople, removesClasses, removesSeats, removesAdvice
    case removedNumber, removedNumberHint, errorRemovedNumber, decision, understood, approve,
        approveNote, errorUnderstood
    case noticeApproved, notAwaited, archiveGone, refusedTitle, back
    case upload, uploadIntro, archive, archiveHint, send, sending, notSent, noticeSent
    case errorNoFile, errorNotZip, errorTooLarge, errorQueue
    case sender, sentBy, soFar
    case kinds, kindsAdvice, countColumn, linesColumn, levelError, levelWarning, levelOdd, levelNote
    case leftOut
    case presentTitle, presentAdvice
    case findingsCSV, samples, samplesAdvice, template, example

    static let section = "imports"
}

/// `/imports`: archives from the school's information system, newest first.
enum Imports: Screen {
    static var pages: [Page] {
        [
            .show(
                "/imports", for: .directoryManager, menu: MenuEntry(.download, ImportsText.title)
            ) { visit in
                try await visit.api.answer(
                    to: ImportCalls.list.asked.with(.limit, 50)
                        .with(.pageToken, visit.query("page")))
            } render: { page, visit in
                view(page, visit)
            }
        ]
    }

    private static func view(_ page: ListPage<ImportSummary>, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ImportsText.title)) {
            heading(texts(ImportsText.title), below: .text(texts(ImportsText.intro))) {
                a(.class("button button-main"), .href("/imports/new")) {
                    Icon.plus.html
                    texts(ImportsText.upload)
                }
            }
            if page.items.isEmpty {
                emptyBox(texts(ImportsText.emptyTitle), texts(ImportsText.emptyAdvice))
            } else {
                Console.table(
                    texts(ImportsText.title),
                    head: [
                        Console.column(texts(ImportsText.when)),
                        Console.column(texts(ImportsText.status)),
                        Console.column(texts(ImportsText.archive)),
                        Console.column(texts(ImportsText.sender)),
                        Console.column(texts(ImportsText.size), "end"),
                        Console.column(texts(ImportsText.findings)),
                    ]
                ) { for item in page.items { row(item, visit) } }
            }
            PageTrail(visit).links("/imports", next: page.nextPageToken, texts)
            if visit.person?.belongs(to: .administrator) == true {
                section(.class("card reading")) {
                    h2 { a(.href(RosterSourcePage.path)) { texts(RosterSourceText.link) } }
                    p { texts(RosterSourceText.linkHint) }
                }
            }
        }
    }

    private static func row(_ item: Document<ImportSummary>, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return tr {
            th(.scope("row")) {
                a(.href("/imports/\(item.id)")) { visit.moment(item.createdAt) }
            }
            td {
                item.state.shown(texts)
                if item.isPreview {
                    " "
                    tag(texts(ImportsText.preview), .search, .line)
                }
            }
            td {
                if let name = item.fileName { p { written(name) } }
                p(.class("small soft")) { item.formatName }
            }
            td { item.sentBy?.shownName.map(written) ?? .nothing }
            td(.class("end number")) { item.size(texts) }
            td { findings(item, texts) }
        }
    }

    /// Such as `3 errors · 1 warning`.
    private static func findings(_ item: Document<ImportSummary>, _ texts: Texts) -> HTML {
        dotted([
            item.errorCount == 0
                ? .nothing : .text(texts(ImportsText.errors, count: item.errorCount)),
            item.warningCount == 0
                ? .nothing : .text(texts(ImportsText.warnings, count: item.warningCount)),
        ])
    }
}
