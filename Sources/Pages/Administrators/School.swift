import Contract
import JSONBytes
import Values

enum SchoolText: String, TextKey {
    case title, allWell, almostWell, notWell, needsYou, nothing, lookedAt, lookAgain, findings
    case tagError, tagWarning, tagInfo, seeWho, seeWhich, readImport, openSettings
    case glance, lastImport, noImport
    case lastExport, noExport, exportChanges, exportFull
    case progress, progressOn, progressOff, paused
    case aboutTitle, name, domains, format, timeZone
    case subjects, gone, goneAdvice

    static let section = "school"
}

/// `/school`: whether everything is well, and the school at a glance.
enum School: Screen {
    static var pages: [Page] {
        [
            .show(
                "/school", for: .manager, menu: MenuEntry(.home, SchoolText.title), load: load,
                render: view)
        ]
    }

    struct Content: Sendable {
        let school: JSONValue
        /// `nil` for people who do not run the directory.
        let checks: JSONValue?
        let lastImport: Document<ImportSummary>?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let runsDirectory = visit.person?.belongs(to: .directoryManager) == true
        async let school = visit.api.get("/v1/organization")
        guard runsDirectory else {
            return Content(school: try await school, checks: nil, lastImport: nil)
        }
        async let checks = visit.api.get("/v1/checks")
        async let imports = visit.api.answer(to: ImportCalls.list.asked.with(.limit, 1))
        return try await Content(
            school: school, checks: checks,
            lastImport: imports.items.first)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        guard let checks = content.checks else {
            return View(texts(SchoolText.title)) {
                heading(texts(SchoolText.title))
                about(content.school, texts)
            }
        }
        let found = Finding.list(checks)
        return View(title(found, texts)) {
            heading(title(found, texts), below: below(found, checks, visit)) {
                a(.class("button"), .href("/school")) { texts(SchoolText.lookAgain) }
            }
            if !found.isEmpty {
                ul(.class("list list-boxed list-wraps"), .label(texts(SchoolText.findings))) {
                    for finding in found { li { row(finding, visit) } }
                }
            }
            h2 { texts(SchoolText.glance) }
            ul(.class("grid")) {
                importCard(content.lastImport, visit)
                exportCard(checks["lastExport"], visit)
                progressCard(content.school, found, visit)
            }
            h2 { texts(SchoolText.aboutTitle) }
            about(content.school, texts)
        }
    }

    private static func title(_ found: [Finding], _ texts: Texts) -> String {
        if found.contains(where: { $0.severity == .error }) { return texts(SchoolText.notWell) }
        let isAlmost = found.contains { $0.severity == .warning }
        return texts(isAlmost ? SchoolText.almostWell : .allWell)
    }

    private static func below(
        _ found: [Finding], _ checks: JSONValue, _ visit: Visit
    ) -> HTML {
        let count = found.count(where: { $0.severity != .info })
        let moment = checks["checkedAt"]?.text.flatMap { Timestamp($0) } ?? visit.now
        return dotted([
            .text(
                count == 0
                    ? visit.texts(SchoolText.nothing)
                    : visit.texts(SchoolText.needsYou, count: count)),
            .text(visit.texts(SchoolText.lookedAt, ["when": visit.moment(moment)])),
        ])
    }

    @HTMLBuilder
    private static func row(_ finding: Finding, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        div(.class("grow")) {
            p { tag(texts(finding.severity.word), finding.severity.icon, finding.severity.tone) }
            p(.class("strong")) { finding.text(texts) }
            p(.class("soft")) { finding.advice(texts) }
        }
        if let link = finding.link(visit) {
            div(.class("wrap-end")) {
                a(.class("button"), .href(link.path)) {
                    texts(link.text)
                    span(.class("unseen")) {
                        ": "
                        finding.text(texts)
                    }
                }
            }
        }
    }

    private static func importCard(_ last: Document<ImportSummary>?, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return card("/imports", texts(SchoolText.lastImport)) {
            guard let last else { return [p(.class("soft")) { texts(SchoolText.noImport) }] }
            return [
                p(.class("figure-l")) { visit.moment(last.createdAt) },
                p(.class("soft card-gap")) { last.formatName },
                p(.class("card-foot")) { last.state.shown(texts) },
            ]
        }
    }

    private static func exportCard(_ last: JSONValue?, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return card("/exports", texts(SchoolText.lastExport)) {
            guard let last, let taken = last["takenAt"]?.text.flatMap({ Timestamp($0) }) else {
                return [p(.class("soft")) { texts(SchoolText.noExport) }]
            }
            let isFull = last["isFull"]?.bool == true
            return [
                p(.class("figure-l")) { visit.moment(taken) },
                p(.class("soft card-gap")) {
                    texts(isFull ? SchoolText.exportFull : .exportChanges)
                },
            ]
        }
    }

    private static func progressCard(
        _ school: JSONValue, _ found: [Finding], _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let isOn = school["studentProgress"]?["enabled"]?.bool == true
        let paused = found.first { $0.code == "progress_paused" }?.count ?? 0
        let settings: LocalPath? =
            visit.person?.belongs(to: .administrator) == true ? "/settings" : nil
        return card(settings, texts(SchoolText.progress)) {
            p(.class("figure-l")) { texts(isOn ? SchoolText.progressOn : .progressOff) }
            if isOn, paused > 0 {
                p(.class("soft card-gap")) { texts(SchoolText.paused, count: paused) }
            }
        }
    }

    private static func card(
        _ path: LocalPath?, _ title: String, @HTMLBuilder content: () -> [HTML]
    ) -> HTML {
        li(.class(path == nil ? "card" : "card card-link")) {
            h3 { if let path { a(.class("cover"), .href(path)) { title } } else { title } }
            parts(content)
        }
    }

    private static func about(_ school: JSONValue, _ texts: Texts) -> HTML {
        let domains = (school["domains"]?.array ?? []).compactMap(\.text)
        return section(.class("card reading")) {
            dl(.class("facts")) {
                Console.fact(texts(SchoolText.name), written(school["name"]?.text ?? ""))
                Console.fact(texts(SchoolText.domains), .text(texts.list(domains)))
                Console.fact(
                    texts(SchoolText.format), code { school["managedIdFormat"]?.text ?? "" })
                Console.fact(
                    texts(SchoolText.timeZone), .text(school["timeZone"]?.text ?? ""))
            }
        }
    }
}
