import HTTPServer
import HTTPWire
import JSONBytes
import Values

enum AuditText: String, TextKey {
    case title, intro, csv, when, what, who, whom, `where`, details, by, about
    case from, until, everything, emptyTitle, emptyAdvice, someone, script, nobody, operation
    case whichTitle, nobodyFound, showAll, inApp

    static let section = "audit"
}

/// `/audit`: who did what, newest first, with filters that are in the address.
enum AuditLog: Screen {
    static var pages: [Page] {
        [
            .show(
                "/audit", for: .directoryManager, menu: MenuEntry(.audit, AuditText.title),
                load: load, render: view),
            .get("/audit/events.csv", for: .directoryManager) { visit in
                .response(try await visit.table(calls(AuditFilter(visit), visit)))
            },
        ]
    }

    struct Content: Sendable {
        let filter: AuditFilter
        let events: [AuditEvent]
        let names: AuditNames
        let next: String?
        /// Those who might be meant, where a name does not say who.
        let candidates: AuditCandidates?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        var filter = AuditFilter(visit)
        if let unclear = try await filter.resolve(visit) {
            return Content(
                filter: filter, events: [], names: AuditNames(), next: nil, candidates: unclear)
        }
        let page = try await visit.api.get(
            calls(filter, visit).with("limit", "30").with("pageToken", visit.query("page")))
        let events = (page["items"]?.array ?? []).compactMap { AuditEvent($0) }
        return Content(
            filter: filter, events: events,
            names: try await AuditNames.load(for: events, visit),
            next: page["nextPageToken"]?.text, candidates: nil)
    }

    /// The call with the filters of the page.
    private static func calls(_ filter: AuditFilter, _ visit: Visit) -> LocalPath {
        let zone = visit.person?.timeZone ?? .utc
        func begin(_ day: Day?) -> String? {
            day.map { LocalTime(day: $0, hour: 0, minute: 0).moment(in: zone).description }
        }
        return LocalPath("/v1/audit-events").with("kind", filter.kind)
            .with("personId", filter.personID).with("subjectId", filter.subjectID)
            .with("serviceAccountId", filter.accountID).with("since", begin(filter.from))
            .with("until", begin(filter.until.map { Day(daysSince1970: $0.daysSince1970 + 1) }))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(AuditText.title)) {
            heading(texts(AuditText.title), below: .text(texts(AuditText.intro))) {
                if content.candidates == nil {
                    a(.class("button"), .href(content.filter.address(of: "/audit/events.csv"))) {
                        Icon.csv.html
                        texts(AuditText.csv)
                    }
                }
            }
            content.filter.form(visit)
            if let candidates = content.candidates {
                candidates.view(content.filter, texts)
            } else if content.events.isEmpty {
                emptyBox(texts(AuditText.emptyTitle), texts(AuditText.emptyAdvice))
            } else {
                table(content, visit)
            }
            PageTrail(visit).links(
                content.filter.address(of: "/audit"), next: content.next, texts)
        }
    }

    private static func table(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return Console.table(
            texts(AuditText.title),
            head: [AuditText.what, .when, .who, .whom, .where, .details].map {
                Console.column(texts($0))
            }, isTall: true
        ) {
            for event in content.events { row(event, content.names, visit) }
        }
    }

    private static func row(_ event: AuditEvent, _ names: AuditNames, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return tr {
            th(.scope("row")) { event.kindName(texts) }
            td(.class("number")) { visit.moment(event.at) }
            td { names.actor(of: event, texts) }
            td { names.subject(of: event, texts) }
            td {
                if let address = event.address { p(.class("code")) { address } }
                if let app = event.app {
                    p(.class("small soft")) {
                        texts.html(AuditText.inApp, ["app": code { app }])
                    }
                }
            }
            td(.class("text small"), .lang("en")) {
                for detail in event.details {
                    p {
                        span(.class("soft")) { "\(detail.name): " }
                        written(detail.value)
                    }
                }
            }
        }
    }
}
