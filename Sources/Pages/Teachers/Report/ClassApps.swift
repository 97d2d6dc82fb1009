import JSONBytes
import Values

enum AppProgressText: String, TextKey {
    case apps, app, time, attempts, tasks, inHandouts, students, emptyTitle, emptyAdvice
    case work, csvTasks, csvStudents, eachStudent, student, result, done, doneOverdue

    static let section = "appProgress"
}

/// `/classes/{id}/apps`: in which apps a class works, and for how long.
enum ClassApps: Screen {
    static var pages: [Page] {
        [
            .show("/classes/{id}/apps", for: .teacher, load: load, render: view),
            .get("/classes/{id}/apps.csv", for: .teacher) { visit in
                .response(try await visit.table(path(visit)))
            },
        ]
    }

    struct Content: Sendable {
        let schoolClass: Side.SchoolClass?
        let apps: [App]
        let generatedAt: Timestamp?
    }

    struct App: Sendable {
        let bundleID: String
        let name: String
        let handouts: Int
        let tasks: Int
        let attempts: Int
        let seconds: Double
        let students: Int

        init(_ app: JSONValue) {
            func count(_ member: String) -> Int { app[member]?.int64.map { Int($0) } ?? 0 }
            bundleID = app["bundleId"]?.text ?? ""
            name = app["name"]?.text ?? ""
            handouts = count("handouts")
            tasks = count("tasks")
            attempts = count("attempts")
            seconds = app["durationSeconds"]?.double ?? 0
            students = count("studentsWithData")
        }
    }

    private static func path(_ visit: Visit) -> LocalPath {
        visit.inPeriod("/v1/classes/\(visit["id"])/apps")
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let asked = visit.api.get(path(visit))
        async let schoolClass = visit.api.get("/v1/classes/\(visit["id"])")
        let answer = try await asked
        return try await Content(
            schoolClass: Side.SchoolClass(schoolClass),
            apps: (answer["items"]?.array ?? []).map(App.init),
            generatedAt: answer.moment("generatedAt"))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let id = visit["id"]
        let name = content.schoolClass?.name ?? ""
        return View(name) {
            heading(name, below: written(content.schoolClass?.number ?? "")) {
                csvButton(visit.inPeriod("/classes/\(id)/apps.csv"), texts(ReportText.csv))
                printButton(texts)
            }
            classTabs(id, name, .apps, texts)
            periodFilter(visit)
            asOf(content.generatedAt, visit)
            if content.apps.isEmpty {
                emptyBox(texts(AppProgressText.emptyTitle), texts(AppProgressText.emptyAdvice))
            } else {
                apps(content.apps, visit)
            }
        }
    }

    private static func apps(_ apps: [App], _ visit: Visit) -> HTML {
        let texts = visit.texts
        let columns: [AppProgressText] = [.app, .time, .attempts, .tasks, .students]
        let most = apps.map(\.seconds).max() ?? 0
        return div(
            .class("table-box"), .role("region"), .label(texts(AppProgressText.apps)), .tabindex(0)
        ) {
            table(.class("table table-fixed")) {
                thead { tr { for column in columns { th(.scope("col")) { texts(column) } } } }
                tbody {
                    for app in apps {
                        tr {
                            th(.scope("row")) {
                                a(.href(link(to: app, visit)), .dirAuto) { app.name }
                            }
                            td(.class("wide")) { time(app, most, texts) }
                            td(.class("number")) { texts.number(app.attempts) }
                            td(.class("number")) {
                                texts(
                                    AppProgressText.inHandouts, count: app.handouts,
                                    ["tasks": texts.number(app.tasks)])
                            }
                            td(.class("number")) { texts.number(app.students) }
                        }
                    }
                }
            }
        }
    }

    private static func link(to app: App, _ visit: Visit) -> LocalPath {
        visit.inPeriod("/classes/\(visit["id"])/apps/\(app.bundleID)")
    }

    /// The bar compares it with the app in which the class worked longest.
    private static func time(_ app: App, _ most: Double, _ texts: Texts) -> HTML {
        div(.class("meter")) {
            span(.class("number")) { texts.duration(app.seconds) }
            if most > 0 { progressBar(app.seconds / most, class: "") }
        }
    }
}

/// Leads to a table that a spreadsheet opens.
func csvButton(_ path: LocalPath, _ title: String) -> HTML {
    a(.class("button"), .href(path)) {
        Icon.csv.html
        title
    }
}
