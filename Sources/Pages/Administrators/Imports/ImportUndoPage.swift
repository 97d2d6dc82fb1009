import Contract
import HTTPServer
import Values

enum ImportUndoText: String, TextKey {
    case link, title, untilThen, wouldHappen, comeBack, leaveAgain, asBefore, rows, note, button
    case leaveIt, noticeUndone, undoneTitle, undoneAt, undoneBy
    case blockedTitle, blockedAdvice, changed, work, referred
    case notApplied, alreadyUndone, underWay, notKept
    case location, term, person, role, course, `class`, seat

    static let section = "importUndo"
}

/// `/imports/{id}/undo`: what undoing an import would put back, and the button that does it.
enum ImportUndoPage: Screen {
    static var pages: [Page] {
        [
            .get("/imports/{id}/undo", for: .administrator) { visit in
                .view(try await question(visit))
            },
            .post("/imports/{id}/undo", for: .administrator, undo),
        ]
    }

    /// How long what an import replaced is kept.
    static let days: Int64 = 30

    private static func question(_ visit: Visit) async throws -> View {
        let id = visit["id"]
        let details = try await visit.api.answer(to: ImportCalls.details.of(id))
        do {
            // What stands in the way is looked for in the whole of it.
            visit.request.setDeadline(secondsFromNow: 600)
            let found = try await visit.api.answer(
                to: ImportCalls.undo.of(id).with(.dryRun, "true"))
            guard found.obstacles.isEmpty else {
                return blocked(found, details.summary, visit)
            }
            return view(found, details, visit)
        } catch let refusal as Refusal {
            return try refused(refusal, visit)
        }
    }

    private static func undo(_ form: Form, _ visit: Visit) async throws -> Answer {
        do {
            visit.request.setDeadline(secondsFromNow: 600)
            try await visit.api.answer(to: ImportCalls.undo.of(visit["id"]))
        } catch let refusal as Refusal where refusal.code == "import_built_on" {
            // The question says what it is.
            return .view(try await question(visit).refused(refusal))
        } catch let refusal as Refusal {
            return .view(try refused(refusal, visit))
        }
        return .redirect(
            "/imports/\(visit["id"])", notice: Notice(ImportUndoText.noticeUndone))
    }

    private static func view(
        _ found: Document<ImportUndoing>, _ details: Document<ImportDetails>, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let summary = details.summary
        let title = texts(ImportUndoText.title)
        let path: LocalPath = "/imports/\(summary.id)"
        return View(title) {
            div {
                crumbs(summary, visit)
                heading(title, below: .text(until(summary, visit)))
            }
            postForm(visit, "/imports/\(summary.id)/undo", .class("card reading stack")) {
                h2 { texts(ImportUndoText.wouldHappen) }
                ul(.class("plain")) {
                    for line in lines(found, details, texts) { li { line } }
                }
                p(.class("small soft")) { texts(ImportUndoText.note) }
                div(.class("row")) {
                    button(.class("button button-risk"), .type("submit")) {
                        texts(ImportUndoText.button)
                    }
                    a(.class("button"), .href(path)) { texts(ImportUndoText.leaveIt) }
                }
            }
        }
    }

    private static func crumbs(_ summary: Document<ImportSummary>, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return Console.crumbs(
            texts,
            [
                ("/imports", .text(texts(ImportsText.title))),
                (
                    "/imports/\(summary.id)",
                    .text(
                        texts(
                            ImportsText.importOf, ["when": visit.moment(summary.createdAt)]))
                ),
            ])
    }

    /// Until when it can be undone.
    static func until(_ summary: Document<ImportSummary>, _ visit: Visit) -> String {
        guard let end = summary.undoableUntil else { return "" }
        return visit.texts(ImportUndoText.untilThen, ["when": visit.moment(end)])
    }

    /// People first, then everything else by kind.
    private static func lines(
        _ found: Document<ImportUndoing>, _ details: Document<ImportDetails>, _ texts: Texts
    ) -> [String] {
        let rows = found.rows
        func people(_ change: RowChange) -> Int {
            rows.first { $0.kind == .person && $0.change == change }?.count ?? 0
        }
        let back = min(ImportPeople.count(details, .removed), people(.changed))
        let lives: [(ImportUndoText, Int)] = [
            (.comeBack, back), (.leaveAgain, people(.created)),
            (.asBefore, people(.changed) - back),
        ]
        var lines = lives.filter { $0.1 > 0 }.map { texts($0.0, count: $0.1) }
        for kind: UndoneKind in [.class, .seat, .role, .course, .term, .location] {
            let number = rows.filter { $0.kind == kind }.reduce(0) { $0 + $1.count }
            guard number > 0 else { continue }
            lines.append(
                texts(
                    ImportUndoText.rows,
                    ["kind": texts(kind.text), "count": texts.number(number)]))
        }
        return lines
    }

    // MARK: What prevents it

    private static func blocked(
        _ found: Document<ImportUndoing>, _ summary: Document<ImportSummary>, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(ImportUndoText.blockedTitle)
        return View(title) {
            div {
                crumbs(summary, visit)
                heading(title)
            }
            notice(.warn, .warn) {
                p { texts(ImportUndoText.blockedAdvice) }
                ul(.class("plain")) {
                    for obstacle in found.obstacles {
                        li { reason(obstacle, texts) }
                    }
                }
            }
            p {
                a(.class("button"), .href("/imports/\(summary.id)")) {
                    texts(ImportsText.back)
                }
            }
        }
    }

    /// Such as `People: 2 are no longer as the import left them · one of them`.
    private static func reason(_ obstacle: Document<UndoObstacle>, _ texts: Texts) -> HTML {
        let keys: [String: ImportUndoText] = ["changed": .changed, "work": .work]
        let why = keys[obstacle.reason] ?? .referred
        let kind = obstacle.kind
        let name = kind.known.map { texts($0.text) } ?? kind.text
        return dotted([
            .text(texts(why, count: obstacle.count, ["kind": name])),
            obstacle.example.map { link(kind.known, $0, texts) } ?? .nothing,
        ])
    }

    /// One that can be looked at; what the ids of others name has no page.
    private static func link(_ kind: UndoneKind?, _ id: String, _ texts: Texts) -> HTML {
        switch kind {
        case .person: a(.href("/people/\(id)")) { texts(ImportUndoText.person) }
        case .class, .seat: a(.href("/school/classes/\(id)")) { texts(ImportUndoText.class) }
        default: .nothing
        }
    }

    private static func refused(_ refusal: Refusal, _ visit: Visit) throws -> View {
        let reasons: [String: ImportUndoText] = [
            "import_not_applied": .notApplied, "import_undone": .alreadyUndone,
            "imports_under_way": .underWay, "import_not_kept": .notKept,
        ]
        guard let reason = refusal.code.flatMap({ reasons[$0] }) else { throw refusal }
        let texts = visit.texts
        return View(texts(ImportsText.refusedTitle)) {
            h1 { texts(ImportsText.refusedTitle) }
            p(.class("reading")) { texts(reason) }
            p {
                a(.class("button"), .href("/imports/\(visit["id"])")) {
                    texts(ImportsText.back)
                }
            }
        }.refused(refusal)
    }
}

extension UndoneKind {
    /// What several of them are called.
    fileprivate var text: ImportUndoText {
        switch self {
        case .location: .location
        case .term: .term
        case .person: .person
        case .role: .role
        case .course: .course
        case .class: .class
        case .seat: .seat
        }
    }
}
