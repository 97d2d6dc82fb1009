import JSONBytes
import Values

enum RecordedText: String, TextKey {
    case title, below, emptyTitle, emptyAdvice, what, whatNot, copy
    case forWhom, byApp, apps, appsHint, appsNone, lastUsed, end, browsers

    static let section = "recorded"
}

/// `/recorded`: everything that is recorded about the student: for whom, since when, by which app, and who looked.
enum Recorded: Screen {
    static var pages: [Page] {
        [
            .show(
                "/recorded", for: .student, menu: MenuEntry(.shield, RecordedText.title),
                load: load, render: view)
        ]
    }

    struct Content: Sendable {
        let classes: [SchoolClass]
        let apps: MyApps
        let sessions: [Account.Entry]
        let viewings: [MyViewing]
    }

    /// What is recorded for the teachers of one class.
    struct SchoolClass: Sendable {
        let id: String
        let name: String
        let teachers: [MyTeacher]
        /// For each app, by bundle id.
        var apps: [String: (since: Timestamp, tasks: Int)] = [:]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let upcoming = visit.api.get("/v1/me/assignments?state=upcoming&limit=1000")
        async let completed = visit.api.get("/v1/me/assignments?state=completed&limit=1000")
        async let apps = MyApps.load(visit)
        async let sessions = visit.api.get("/v1/me/sessions?limit=100")
        async let viewings = MyViewing.load(visit)
        return try await Content(
            classes: classes(
                [upcoming, completed].flatMap { $0["items"]?.array ?? [] }),
            apps: apps,
            sessions: (sessions["items"]?.array ?? []).compactMap(Account.Entry.init)
                .filter { $0.bundleID != nil },
            viewings: viewings)
    }

    private static func classes(_ assignments: [JSONValue]) -> [SchoolClass] {
        var classes: [String: SchoolClass] = [:]
        // One that was done between the two calls is in both lists.
        var seen: Set<String> = []
        for assignment in assignments {
            guard let handout = assignment["handout"], let id = handout["classId"]?.text,
                let since = assignment["recording"]?.moment("since"),
                let reporter = assignment["task"]?["toolName"]?.text
                    ?? assignment["recording"]?["bundleId"]?.text,
                seen.insert(assignment["id"]?.text ?? "").inserted
            else { continue }
            var schoolClass =
                classes[id]
                ?? SchoolClass(
                    id: id, name: handout["className"]?.text ?? "",
                    teachers: MyTeacher.all(handout))
            let known = schoolClass.apps[reporter]
            schoolClass.apps[reporter] = (
                min(known?.since ?? since, since), (known?.tasks ?? 0) + 1
            )
            classes[id] = schoolClass
        }
        return classes.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(RecordedText.title)) {
            heading(texts(RecordedText.title), below: .text(texts(RecordedText.below)))
            if content.classes.isEmpty {
                emptyBox(texts(RecordedText.emptyTitle), texts(RecordedText.emptyAdvice))
            } else {
                ul(.class("grid")) {
                    for item in content.classes { card(item, content.apps, visit) }
                }
            }
            section(.class("card reading")) {
                p { texts.html(RecordedText.what) }
                p { texts.html(RecordedText.whatNot) }
                p(.class("soft")) { texts(RecordedText.copy) }
            }
            content.viewings.card(visit)
            section(.class("card reading")) {
                h2(.id("apps")) { texts(RecordedText.apps) }
                if content.sessions.isEmpty {
                    p(.class("soft")) { texts(RecordedText.appsNone) }
                } else {
                    p(.class("soft")) { texts(RecordedText.appsHint) }
                    ul(.class("list list-wraps"), .labelledBy("apps")) {
                        for item in content.sessions { li { row(item, content.apps, visit) } }
                    }
                }
                p { a(.href("/me/sign-in")) { texts(RecordedText.browsers) } }
            }
        }
    }

    private static func card(_ item: SchoolClass, _ apps: MyApps, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let names = item.apps.map { (name: apps.name($0.key), what: $0.value) }
        return li(.class("card")) {
            div(.class("row")) {
                chip(item.name, id: item.id)
                h2(.dirAuto) { item.name }
            }
            p {
                texts.html(
                    RecordedText.forWhom,
                    [
                        "teachers": item.teachers.isEmpty
                            ? .text(texts(MyHandoutText.teachers)) : item.teachers.names(texts)
                    ])
            }
            ul {
                for app in names.sorted(by: { $0.name < $1.name }) {
                    li {
                        texts.html(
                            RecordedText.byApp, count: app.what.tasks,
                            [
                                "app": written(app.name),
                                "when": .text(visit.moment(app.what.since)),
                            ])
                    }
                }
            }
        }
    }

    @HTMLBuilder
    private static func row(
        _ entry: Account.Entry, _ apps: MyApps, _ visit: Visit
    ) -> [HTML] {
        let texts = visit.texts
        let name = apps.name(entry.bundleID ?? "")
        div(.class("grow")) {
            p(.class("strong")) { written(name) }
            p(.class("small soft")) {
                texts(RecordedText.lastUsed, ["when": visit.moment(entry.lastUsedAt)])
            }
        }
        div(.class("wrap-end")) {
            postForm(visit, "/me/sessions/\(entry.id)/end") {
                input(.type("hidden"), .name("to"), .value("/recorded"))
                button(
                    .class("button"), .type("submit"),
                    .label(
                        texts(
                            MyHandoutText.about,
                            ["action": texts(RecordedText.end), "task": name]))
                ) { texts(RecordedText.end) }
            }
        }
    }
}
