import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// The pages over the real API, as everyone.
@Suite struct PagesOverTheAPI {
    private static let people: [Persona] = [
        .ada, .petra, .mara, .tom, .cora, .tess, .sam, .sue, .ben,
    ]

    @Test func `links lead everyone to pages that are there, by calls that the person may make`()
        async throws
    {
        try await withSchool { school in
            try await school.fillWith(title: "Cells", name: "Blue")
            let rows = Dictionary(grouping: try CallMatrix.rows(), by: \.call)
            for persona in Self.people {
                var pageCount = 0
                let browser = SchoolBrowser(school, as: persona)
                try await browser.walk(from: ["/"]) { target, shown in
                    pageCount += 1
                    // Where a person is signed in is for who may set the password: whether that is so, the API decides
                    // about each person.
                    if target.hasSuffix("/sign-ins"), shown.status == 403 { return }
                    #expect([200, 303].contains(shown.status), "\(persona): \(target)")
                    for call in shown.calls where call.path != "/v1/me/session/renewal" {
                        let name = "\(call.method) \(call.path)"
                        let access = try #require(rows[name]?.first?.access, "\(name)")
                        guard case .standings(let allowed) = access else { continue }
                        #expect(
                            !allowed.isDisjoint(with: persona.roles),
                            "\(persona): \(target) asks \(name)")
                        // Without a development environment there is none to read, nor a roster source.
                        let isOptional = [
                            "GET /v1/development", "GET /v1/roster-source",
                        ].contains(name)
                        if isOptional, call.status == 404 { continue }
                        #expect(
                            call.status < 400, "\(persona): \(target) asks \(name): \(call.status)")
                    }
                }
                #expect(pageCount >= 10, "\(persona)")
            }
        }
    }

    @Test func `pages of others are not there for anyone`() async throws {
        try await withSchool { school in
            try await school.fillWith(title: "Cells", name: "Blue")
            var targets: Set<String> = []
            for persona in Self.people {
                try await SchoolBrowser(school, as: persona).walk(from: ["/"]) { target, shown in
                    if shown.status == 200 { targets.insert(target) }
                }
            }
            #expect(targets.count > 60)
            let shared = ["/", "/device", "/me/", "/sign-in", "/assets", "/docs", "/favicon.ico"]
            for target in targets.sorted() {
                let nobody = try await SchoolBrowser(school, as: nil).get(target)
                let isShared = shared.contains { target == $0 || target.hasPrefix($0) && $0 != "/" }
                if !isShared { #expect(nobody.status == 303, "\(target)") }
                // Olga and Otto are the same at another organization; Omar is a student there.
                for stranger in [Persona.olga, .otto, .omar] {
                    let shown = try await SchoolBrowser(school, as: stranger).get(target)
                    #expect(shown.status < 500, "\(stranger): \(target)")
                    #expect(!shown.text.contains("Blue"), "\(stranger): \(target)")
                    #expect(!shown.text.contains("Cells"), "\(stranger): \(target)")
                }
            }
        }
    }

    @Test func `markup in names, titles and items is text on every page`() async throws {
        try await withSchool { school in
            let markup = "</title><script>alert(1)</script>\"'onload=x&lt;"
            try await school.fillWith(title: markup, name: markup)
            var shownCount = 0
            for persona in Self.people {
                let browser = SchoolBrowser(school, as: persona)
                try await browser.walk(from: ["/"]) { target, shown in
                    guard shown.header("content-type")?.hasPrefix("text/html") == true else {
                        return
                    }
                    #expect(!shown.text.contains("<script>alert"), "\(persona): \(target)")
                    #expect(!shown.text.contains("\"'onload"), "\(persona): \(target)")
                    if shown.text.contains("&lt;script&gt;alert(1)") { shownCount += 1 }
                }
            }
            #expect(shownCount > 40)
        }
    }

    @Test func `markup in addresses is not returned as markup`() async throws {
        try await withSchool { school in
            try await school.fillWith(title: "Cells", name: "Blue")
            let hostile = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
            for persona in [nil] + Self.people.map(Optional.some) {
                let browser = SchoolBrowser(school, as: persona)
                var targets: Set<String> = []
                try await browser.walk(from: ["/", "/sign-in"]) { target, _ in
                    targets.insert(target)
                }
                for target in targets.sorted() {
                    let path = target.prefix { $0 != "?" }
                    let names = target.matches(of: /[?&]([^=&]+)/).map { $0.1 }
                    for name in names + ["to", "q", "page", "class", "anything"] {
                        let shown = try await browser.get("\(path)?\(name)=\(hostile)")
                        #expect(!shown.text.contains("<script>alert"), "\(path)?\(name)")
                        #expect(shown.status < 500, "\(path)?\(name)")
                        #expect(shown.location?.contains("<") != true, "\(path)?\(name)")
                    }
                }
            }
        }
    }
}

extension TestSchool {
    /// Gives everyone something to show: names, a handout of every kind of task, progress with items, a note and an
    /// announcement.
    fileprivate func fillWith(title: String, name: String) async throws {
        try sql(
            "update school.person set family_name = \(name) where organization_id = \(hillside)")
        try sql("update school.class set name = \(title) where organization_id = \(hillside)")
        try sql("update school.organization set name = \(name) where organization_id = \(hillside)")
        let handout = try newHandout(dueAt: ago(-600))
        try newTask(of: handout.id, in: biology, path: ["other"], title: title, position: 2)
        try sql("update school.handout set title = \(title), instructions = \(title)")
        try sql("update school.task set title = \(title)")
        let item: JSONValue = [
            "kind": "score", "identifier": .text(title), "title": .text(title), "score": 3,
            "maxScore": 5,
        ]
        let extra: JSONValue = [
            "kind": "quantity", "identifier": "extra", "title": .text(title), "quantity": 7,
        ]
        for app in [Persona.samsApp, .suesApp] {
            let sent = try await upload([attempt(primary: item, additional: [extra])], as: app)
            #expect(sent.status == 202)
        }
        let done = try await put("/v1/assignments/\(handout.task.uuid)/done", as: .sam)
        #expect(done.status < 300)
        let announced = try await post(
            "/v1/announcements", as: .tom,
            json: ["classId": .text("\(biology.uuid)"), "text": .text(title)])
        #expect(announced.status == 201, "\(announced.text)")
        try await grantGradebooks(to: name)
        let stored = try sql(
            "select count(*) as count from school.activity where person_id = \(Persona.sam.personID)"
        )
        #expect(try stored[0].int("count") == 1)
    }

    /// A system that may use the gradebook of a class and of a location.
    private func grantGradebooks(to name: String) async throws {
        let grader = try await post(
            "/v1/service-accounts", as: .ada,
            json: ["name": .text(name), "role": "rosterReader"])
        let id = try #require(grader.json["clientId"]?.text, "\(grader.text)")
        let grants: JSONValue = [
            "items": [
                ["classId": .text("\(biology.uuid)"), "readsResults": true],
                ["locationId": .text("\(mainLocation.uuid)"), "readsResults": false],
            ]
        ]
        let granted = try await put(
            "/v1/service-accounts/\(id)/gradebook-grants", as: .ada, json: grants)
        #expect(granted.status == 200, "\(granted.text)")
    }
}
