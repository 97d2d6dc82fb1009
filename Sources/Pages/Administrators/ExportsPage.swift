import JSONBytes
import Values

enum ExportsText: String, TextKey {
    case title, intro, last, none, full, changes, when, contents, dayColumn, allWell
    case readersTitle, readersIntro, readersNone, makeReader, privacy, events, eventsNone, allEvents

    static let section = "exports"
}

/// `/exports`: whether the nightly export runs, and who reads it. Exports hold progress, which is not for administrators:
/// the API gives their files to exporters alone.
enum ExportsPage: Screen {
    static var pages: [Page] {
        [
            .show(
                "/exports", for: .directoryManager, menu: MenuEntry(.csv, ExportsText.title),
                load: load, render: view)
        ]
    }

    struct Content: Sendable {
        let lastExport: JSONValue?
        let findings: [Finding]
        let events: [AuditEvent]
        let names: AuditNames
        /// The accounts that may read exports; `nil` where they are not for the visitor to see.
        let readers: [ServiceAccount]?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let checks = visit.api.get("/v1/checks")
        async let page = visit.api.get("/v1/audit-events?kind=export&limit=10")
        async let readers = readers(visit)
        let events = try await (page["items"]?.array ?? []).compactMap { AuditEvent($0) }
        return try await Content(
            lastExport: checks["lastExport"],
            findings: Finding.list(checks).filter { $0.code.hasPrefix("export_") },
            events: events, names: try await AuditNames.load(for: events, visit), readers: readers)
    }

    private static func readers(_ visit: Visit) async throws -> [ServiceAccount]? {
        guard visit.person?.belongs(to: .administrator) == true else { return nil }
        return try await Console.all("/v1/service-accounts", visit.api)
            .compactMap { ServiceAccount($0) }.filter { $0.role == "exporter" }
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ExportsText.title)) {
            heading(texts(ExportsText.title), below: .text(texts(ExportsText.intro)))
            for finding in content.findings {
                notice(finding.severity.tone, .warn) {
                    h2 { finding.text(texts) }
                    p { finding.advice(texts) }
                }
            }
            div(.class("two")) {
                div(.class("stack")) {
                    last(content, visit)
                    events(content, visit)
                }
                readers(content, texts)
            }
        }
    }

    private static func last(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let taken = content.lastExport?["takenAt"]?.text.flatMap { Timestamp($0) }
        return section(.class("card")) {
            h2 { texts(ExportsText.last) }
            if let taken {
                dl(.class("facts")) {
                    Console.fact(texts(ExportsText.when), .text(visit.moment(taken)))
                    if let day = content.lastExport?["exportedOn"]?.text.flatMap({ Day($0) }) {
                        Console.fact(
                            texts(ExportsText.dayColumn),
                            .text(texts.day(day, today: visit.today)))
                    }
                    let isFull = content.lastExport?["isFull"]?.bool == true
                    Console.fact(
                        texts(ExportsText.contents),
                        .text(texts(isFull ? ExportsText.full : .changes)))
                }
                if content.findings.isEmpty {
                    p { tag(texts(ExportsText.allWell), .done, .good) }
                }
            } else {
                p(.class("soft")) { texts(ExportsText.none) }
            }
        }
    }

    private static func events(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card")) {
            h2 { texts(ExportsText.events) }
            if content.events.isEmpty { p(.class("soft")) { texts(ExportsText.eventsNone) } }
            ul(.class("list")) {
                for event in content.events {
                    li {
                        div(.class("grow")) {
                            p { visit.moment(event.at) }
                            p(.class("small soft")) { content.names.actor(of: event, texts) }
                        }
                    }
                }
            }
            p {
                a(.href(LocalPath("/audit").with("kind", "export"))) {
                    texts(ExportsText.allEvents)
                }
            }
        }
    }

    private static func readers(_ content: Content, _ texts: Texts) -> HTML {
        section(.class("card")) {
            h2 { texts(ExportsText.readersTitle) }
            p { texts(ExportsText.privacy) }
            if let readers = content.readers {
                p(.class("soft")) {
                    texts(readers.isEmpty ? ExportsText.readersNone : .readersIntro)
                }
                ul(.class("list")) {
                    for reader in readers {
                        li { a(.href("/services/\(reader.id)"), .dirAuto) { reader.name } }
                    }
                }
                a(.class("button"), .href("/services/new")) { texts(ExportsText.makeReader) }
            }
        }
    }
}
