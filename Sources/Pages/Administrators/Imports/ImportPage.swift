import Contract
import Values

/// `/imports/{id}`: what an import found, and what it changes or would change.
enum ImportPage: Screen {
    static var pages: [Page] {
        [
            .show("/imports/{id}", for: .directoryManager, load: load) { content, visit in
                view(content, isUnread: false, visit)
            },
            .post("/imports/{id}/approval", for: .directoryManager, approve),
            .get("/imports/{id}/changes.csv", for: .directoryManager) { visit in
                .response(try await visit.table(ImportCalls.changes.of(visit["id"]).path))
            },
            .get("/imports/{id}/findings.csv", for: .directoryManager) { visit in
                .response(try await visit.table(ImportCalls.findings.of(visit["id"]).path))
            },
        ]
    }

    struct Content: Sendable {
        let details: Document<ImportDetails>
        /// The people whom it is about, or its rows.
        let plan: ImportPlanPage
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let details = visit.api.answer(to: ImportCalls.details.of(visit["id"]))
        async let plan = ImportPlanPage.load(visit)
        return try await Content(details: details, plan: plan)
    }

    private static func approve(_ form: Form, _ visit: Visit) async throws -> Answer {
        let content = try await load(visit)
        guard ImportPlan.isConfirmed(by: form, content.details) else {
            return .view(view(content, isUnread: true, visit).refused())
        }
        do {
            try await visit.api.answer(to: ImportCalls.approval.of(visit["id"]))
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
        let summary = content.details.summary
        let title = texts(ImportsText.importOf, ["when": visit.moment(summary.createdAt)])
        return View(isUnread ? texts(ErrorText.formTitle, ["title": title]) : title) {
            div {
                Console.crumbs(texts, [("/imports", .text(texts(ImportsText.title)))])
                heading(
                    title,
                    below: origin(summary, texts),
                    tags: parts {
                        summary.state.shown(texts)
                        if summary.isPreview { tag(texts(ImportsText.preview), .search, .line) }
                    }
                ) {
                    if summary.state.isUnderWay {
                        a(.class("button"), .href("/imports/\(summary.id)")) {
                            texts(ImportsText.lookAgain)
                        }
                    }
                    if isUndoable(content, visit) {
                        a(.class("button"), .href("/imports/\(summary.id)/undo")) {
                            texts(ImportUndoText.link)
                        }
                    }
                }
            }
            state(summary, texts)
            undone(content, visit)
            if summary.state.isApprovable, summary.mayRemoveMuch {
                ImportPlan.warning(content.details, texts)
            }
            ImportKinds.section(content.details, texts)
            ImportFindings.section(content.details, isError: true, texts)
            ImportPlan.counts(content.details, texts)
            if summary.state.isApprovable {
                ImportPlan.decision(content.details, isUnread: isUnread, visit)
            }
            content.plan.view(content.details, visit)
            ImportFindings.section(content.details, isError: false, texts)
        }
    }

    /// What the archive is called, what it is, and who sent it.
    private static func origin(_ summary: Document<ImportSummary>, _ texts: Texts) -> HTML {
        let sender = summary.sentBy.flatMap { sender in
            sender.shownName.map { (id: sender.personID, name: written($0)) }
        }.map { (id, name) in
            let link = id.map { id in a(.href("/people/\(id)")) { name } }
            return texts.html(ImportsText.sentBy, ["name": link ?? name])
        }
        return dotted([
            summary.fileName.map(written) ?? .nothing, .text(summary.formatName),
            .text(summary.size(texts)), sender ?? .nothing,
        ])
    }

    private static func state(_ summary: Document<ImportSummary>, _ texts: Texts) -> HTML {
        switch summary.state {
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
        case .awaitingApproval, .planned, .succeeded, .undone: .nothing
        }
    }

    /// Whether the visitor may order it to be undone: what was applied, and changed something, thirty days ago or less.
    private static func isUndoable(_ content: Content, _ visit: Visit) -> Bool {
        guard visit.person?.belongs(to: .administrator) == true,
            let end = content.details.summary.undoableUntil, end > visit.now
        else { return false }
        return content.details.files.contains { $0.removed + $0.created + $0.changed > 0 }
    }

    /// When it was undone, and by whom.
    private static func undone(_ content: Content, _ visit: Visit) -> HTML {
        guard let moment = content.details.summary.undoneAt else { return .nothing }
        let texts = visit.texts
        let when = HTML.text(visit.moment(moment))
        let name = content.details.summary.undoneBy?.fullName.text
        return notice(.info, .info) {
            h2 { texts(ImportUndoText.undoneTitle) }
            p {
                if let name {
                    texts.html(
                        ImportUndoText.undoneBy, ["when": when, "name": written(name)])
                } else {
                    texts.html(ImportUndoText.undoneAt, ["when": when])
                }
            }
        }
    }
}
