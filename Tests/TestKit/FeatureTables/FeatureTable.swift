import Postgres

/// What a plain feature is checked against, in one file: who may make its calls, and who sees and writes its tables.
/// Its calls show no one's progress. Features that do, and the older ones, have their rows in the tables themselves
/// (`CallMatrix`, `RouteTable`, `PolicyTable`, `WriteTable`).
package struct FeatureTable: Sendable {
    package static let all: [FeatureTable] = [
        announcements, signIn, connectedSystems, providers, news, privileges, retention, viewings,
        changes, webhooks, oneRoster, grades, scim, xapi,
        rosterSource, rosterAPI, tools, reviews, comments, marks, badges,
    ]

    /// Lines of the call matrix: method, path, and `x` or `.` for administrator, siteManager, peopleManager,
    /// contentManager, manager, teacher, staff, student, provisioner, exporter, app.
    package let calls: String
    /// Rows of its tables on either side of every border that its policies draw; `test.id('published')` is the id of
    /// that name.
    package let population: [Statement]
    package let policies: [PolicyRow]
    package let rights: [WriteRight]
    package let writes: [WriteCase]

    /// Method and path of its calls.
    package var calledPaths: [(method: String, path: String)] {
        calls.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), String(words[1]))
        }
    }
}
