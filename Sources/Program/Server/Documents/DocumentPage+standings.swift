import API
import JSONBytes

/// What each standing is for, and which calls it may make.
extension DocumentPage {
    /// In the order of the page; the last two are not standings of a token.
    private static let capacities: [(name: String, meaning: String)] = [
        (
            "administrator",
            "Runs the whole organization: settings, people, licences, service accounts. Sees no progress."
        ),
        (
            "siteManager",
            "Manages locations, people, classes and imports as an administrator does. Sees no progress."
        ),
        (
            "peopleManager",
            "Manages people, classes and rosters, and imports them. Sees no progress."
        ),
        ("contentManager", "Manages apps, books and their licences. Sees no progress."),
        (
            "manager",
            "Manages people and classes, but no locations and no imports. Sees no progress."
        ),
        (
            "teacher",
            "Reads the classes he or she teaches, gives handouts, and sees progress on what was assigned there."
        ),
        ("staff", "Signs in and reads his or her own account."),
        ("student", "Reads his or her own handouts and results, and marks work as done."),
        (
            "provisioner",
            "A service account that keeps people, classes and rosters in step with your information system."
        ),
        ("exporter", "A service account that orders and fetches the nightly export."),
        (
            "rosterReader",
            "A service account with which another system of the school reads people, classes and rosters over OneRoster and Apple’s Roster API, and writes grades in classes that it is granted."
        ),
        (
            "directoryWriter",
            "A service account with which your identity provider writes people and classes over SCIM."
        ),
        (
            "tool",
            "Another system in which students work (LTI): reads who got its tasks, and reports scores. Never sees a class that does not use it."
        ),
        (
            "app",
            "An app that a person signed in to: reports work in its own contexts and learns nothing about the person."
        ),
        (
            "developer",
            "A developer’s signed token: publishes the contexts of the team’s own apps and sees no person."
        ),
        ("anyone", "Needs no token."),
    ]

    /// Writes each standing with its calls as links.
    mutating func writeStandings(_ groups: [Group]) {
        let operations = groups.flatMap(\.operations)
        html += """
            <section id="standings"><h2>Who may call what</h2>
            <p>What a token may do depends on the roles of its person, on the role of its service account, or on its
            being an app's. A call runs under the first standing in its list that the token has. Which records it
            then sees is decided by PostgreSQL, row by row.</p>

            """
        for (name, meaning) in Self.capacities {
            let calls = operations.filter { $0.capacities.contains(name) }
            html += "<details class=\"fold\"><summary>\(escaped(name)) <span class=\"soft\">"
            html += calls.count == 1 ? "1 call" : "\(calls.count) calls"
            html += "</span></summary><p>\(escaped(meaning))</p>\n"
            writeIndex(of: calls)
            html += "</details>\n"
        }
        html += "</section>\n"
    }

    /// A list of calls as links.
    mutating func writeIndex(of operations: [Operation]) {
        html += "<ul class=\"index\">\n"
        for operation in operations {
            html += "<li><a href=\"#\(operation.id)\">\(text(operation.value["summary"]))</a> "
            html += "<code>\(operation.method) \(escaped(operation.path))</code></li>\n"
        }
        html += "</ul>\n"
    }
}
