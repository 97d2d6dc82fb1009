import JSONBytes
import Values

/// `/imports/{id}`: what an import found, and what it changes or would change.
enum ImportPage: Screen {
    static var pages: [Page] {
        [
            .show("/imports/{id}", for: .directoryManager, load: load) { content, visit in
                view(content, isUnread: false, visit)
            },
            .post("/imports/{id}/approval", for: .directoryManager, approve),
            .get("/imports/{id}/findings.csv", for: .directoryManager) { visit in
                .response(try await visit.table("/v1/imports/\(visit["id"])/findings"))
            },
        ]
    }

    struct Content: Sendable {
        let summary: ImportSummary
        let details: JSONValue
        let changes: JSONValue
    }

    static let kinds: [(value: String, text: ImportsText)] = [
        ("removed", .kindRemoved), ("changed", .kindChanged), ("created", .kindCreated),
    ]

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let details = visit.api.get("/v1/imports/\(id)")
        async let changes = visit.api.get(
            LocalPath("/v1/imports/\(id)/changes?limit=50").with("change", visit.query("change"))
                .with("pageToken", visit.query("page")))
        guard let summary = ImportSummary(try await details) else { throw UnexpectedDocument() }
        return try await Content(summary: summary, details: details, changes: changes)
    }

    private static func approve(_ form: Form, _ visit: Visit) async throws -> Answer {
        let content = try await load(visit)
        guard ImportPlan.isConfirmed(by: form, content.details, content.summary) else {
            return .view(view(content, isUnread: true, visit).refused())
        }
        do {
            try await visit.api.post("/v1/imports/\(visit["id"])/approval")
        } catch let refusal as Refusal {
            return .view(try refused(refusal, visit))
        }
        return .redirect(
            "/imports/\(visit["id"])", notice: Notice(ImportsText.noticeApproved))
    }

    private static func refused(_ refusal: Refusal, _ visit: Visit) throws -> View {
        let reason: ImportsText
        switch refusal.code {
        case "approval_not_awaited": reason = .notAwaited
        case "archive_gone": reason = .archiveGone
        default: throw refusal
        }
        let texts = visit.texts
        return View(texts(ImportsText.refusedTitle)) {
            h1 { texts(ImportsText.refusedTitle) }
            p(.class("reading")) { texts(reason) }
            p {
                a(.class("button"), .href("/imports/\(visit["id"])")) { texts(ImportsText.back) }
            }
        }.refused(refusal)
    }

    // MARK: The page

    private static func view(_ content: Content, isUnread: Bool, _ visit: Visit) -> View {
        let texts = visit.texts
        let summary = content.summary
        let title = texts(ImportsText.importOf, ["when": visit.moment(summary.createdAt)])
        return View(isUnread ? texts(ErrorText.formTitle, ["title": title]) : title) {
            div {
                Console.crumbs(texts, [("/imports", .text(texts(ImportsText.title)))])
                heading(
                    title,
                    below: origin(summary, texts),
                    tags: parts {
                        summary.status.shown(texts)
                        if summary.isPreview { tag(texts(ImportsText.preview), .search, .line) }
                    }
                ) {
                    if summary.status.isUnderWay {
                        a(.class("button"), .href("/imports/\(summary.id)")) {
                            texts(ImportsText.lookAgain)
                        }
                    }
                }
            }
            state(summary, texts)
            if summary.status.isApprovable, summary.removesMuch {
                ImportPlan.warning(content.details, texts)
            }
            ImportKinds.section(content.details, summary, texts)
            ImportFindings.section(content.details, isError: true, texts)
            ImportPlan.counts(content.details, summary, texts)
            if summary.status.isApprovable {
                ImportPlan.decision(content.details, summary, isUnread: isUnread, visit)
            }
            ImportPlan.changes(content.details, content.changes, visit)
            ImportFindings.section(content.details, isError: false, texts)
        }
    }

    /// What the archive is called, what it is, and who sent it.
    private static func origin(_ summary: ImportSummary, _ texts: Texts) -> HTML {
        let sender = summary.sender.map { sender in
            let name = written(sender.name)
            let link = sender.personID.map { id in a(.href("/people/\(id)")) { name } }
            return texts.html(ImportsText.sentBy, ["name": link ?? name])
        }
        return dotted([
            summary.fileName.map(written) ?? .nothing, .text(summary.formatName),
            .text(summary.size(texts)), sender ?? .nothing,
        ])
    }

    private static func state(_ summary: ImportSummary, _ texts: Texts) -> HTML {
        switch summary.status {
        case .queued, .running:
            notice(.info, .info) {
                // The script looks again until this is gone from the page.
                div(Attribute("data-pending"), .role("status")) {
                    p { texts(ImportsText.stillWorks) }
                    div(.class("meter meter-l")) {
                        span(.class("number")) {
                            texts(
                                ImportsText.soFar, ["percent": texts.percent(summary.progress)])
                        }
                        progress(
                            .value("\(Int(summary.progress * 100))"), Attribute("max", "100"),
                            .hidden)
                    }
                }
            }
        case .failed:
            notice(.bad, .warn) {
                h2 { texts(ImportsText.nothingChanged) }
                p { texts(ImportsText.errorsAdvice) }
            }
        case .awaitingApproval, .planned, .succeeded: .nothing
        }
    }
}
