import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// Every form that changes something that is there changes what was changed in it, and nothing else.
@Suite struct FormsThatChange {
    /// All other forms, by why they have nothing to merge.
    private static let others = """
        makes something new: /people/new /school/classes/new /school/courses/new
            /school/locations/new /school/terms/new /apps/new /classes/new
            /classes/{id}/handouts/new /classes/{id}/announcements /connected-systems/new
            /my-work/{id}/comments /handouts/{id}/students/{person}/comments
            /developers/new /services/new /tools/new /webhooks/new /sign-in-providers
            /settings/data/holds /handouts/{id}/copy /imports/new /people/sheets
            /classes/{id}/sign-in-sheet /classes/{id}/badges
        adds or takes out one thing: /handouts/{id}/activities /handouts/{id}/link
            /handouts/{id}/time /handouts/{id}/tools /handouts/{id}/tools/{launch}
            /school/classes/{id}/seats /school/classes/{id}/{role}/{person}/end
            /classes/{id}/members/{role}/{person}/add /classes/{id}/members/{role}/{person}/end
            /apps/{id}/licences /apps/{id}/licences/return /apps/{id}/transfer
            /services/{id}/gradebook /services/{id}/gradebook/end
        sets a number that it does not show: /apps/{id}/pools
        turns one switch: /settings/progress /webhooks/{id}/state /developers/development
            /my-work/{id}/tasks/{task}/opened /my-work/{id}/tasks/{task}/done
            /my-work/{id}/tasks/{task}/undone /my-work/{id}/comments/seen
            /handouts/{id}/students/{person}/comments/seen
        gives what was seen, so that a change is looked at again: /handouts/{id}/publish
            /handouts/{id}/students/{person}/marks
        belongs to a session, or decides a question: /device /device/decision /lti/authorize
            /me/language /me/password /me/sessions/end-others /me/sessions/{id}/end
            /me/sign-in-changes /news /oauth/authorize /oauth/logout /sign-in /sign-out /typed /badge
        does one thing, which its button names: /announcements/{id}/delete /apps/{id}/removal
            /classes/{id}/removal /classes/{id}/roster/{person}/password
            /classes/{id}/badges/void /classes/{id}/badges/{person}/void
            /connected-systems/{id}/removal /connected-systems/{id}/secret
            /developers/development/off /developers/development/reset /developers/{id}/removal
            /handouts/{id}/archive /handouts/{id}/complete /handouts/{id}/delete
            /handouts/{id}/lock /handouts/{id}/review /handouts/{id}/review/all
            /handouts/{id}/review/undo /handouts/{id}/students/{person}/given
            /handouts/{id}/students/{person}/comments/{comment}/removal
            /my-work/{id}/comments/{comment}/removal /handouts/{id}/unarchive
            /handouts/{id}/unlock /handouts/{id}/unpublish /handouts/{id}/unschedule
            /imports/{id}/approval /imports/{id}/undo /people/{id}/data-export
            /people/{id}/deactivation
            /people/{id}/erasure /people/{id}/pause /people/{id}/reactivation /people/{id}/resume
            /people/{id}/sessions/{session}/end /people/{id}/sign-in-links/end
            /people/{id}/temporary-password /people/{id}/unlock /roster-source/pull
            /roster-source/removal /school/classes/{id}/removal /school/courses/{id}/removal
            /school/locations/{id}/removal /school/terms/{id}/closing /school/terms/{id}/removal
            /school/terms/{id}/reopening /school/terms/{id}/rollover /services/{id}/revocation
            /services/{id}/secret /settings/data/holds/{id}/lift /sign-in-providers/{id}/check
            /sign-in-providers/{id}/removal /tools/{id}/removal
            /webhooks/{id}/deliveries/{delivery} /webhooks/{id}/removal /webhooks/{id}/secret
            /webhooks/{id}/test
        """

    @Test func `each form of what is there is declared, and tried here`() {
        let declared = Set(Screens.pages.filter { $0.edits != nil }.map(\.path))
        let tried = ConflictCase.all.map(\.pattern) + ["/handouts/{id}/edit", "/school/privileges"]
        #expect(declared == Set(tried))
        for path in declared { #expect(Screens.shown[path] != nil, "\(path) shows its form") }
        let posts = Set(Screens.pages.filter { $0.method == .post }.map(\.path))
        let words = Self.others.split { $0 == " " || $0 == "\n" }.map(String.init)
        let known = Set(words.filter { $0.hasPrefix("/") })
        #expect(posts.subtracting(declared).symmetricDifference(known).sorted() == [])
    }

    @Test(arguments: ConflictCase.all)
    func `the form is sent as it was filled with one change, and nothing is asked`(
        item: ConflictCase
    ) async throws {
        let browser = item.browser()
        let form = try #require(try await item.form(browser))
        let saved = try await browser.send(
            form.with(item.field.name, item.field.yours), to: item.path)
        #expect(saved.status == 303, "\(saved.text)")
        #expect(sent(browser, item).contains(item.field.yours))
    }

    @Test(arguments: ConflictCase.all.filter { !$0.other.name.isEmpty })
    func `what only one changed is kept from both`(item: ConflictCase) async throws {
        let browser = item.browser()
        let form = try #require(try await item.form(browser))
        browser.api.set(item.read, (200, item.changed))
        let saved = try await browser.send(
            form.with(item.other.name, item.other.yours), to: item.path)
        #expect(saved.status == 303, "\(saved.text)")
        let body = sent(browser, item)
        #expect(body.contains(item.other.yours) && body.contains(item.field.theirs), "\(body)")
    }

    @Test(arguments: ConflictCase.all, ["theirs", "yours"])
    func `what both changed is asked, and what is chosen is saved`(
        item: ConflictCase, side: String
    ) async throws {
        let browser = item.browser()
        let form = try #require(try await item.form(browser))
        browser.api.set(item.read, (200, item.changed))
        let before = browser.api.lines.count { $0 == item.send }
        let page = try await browser.send(
            form.with(item.field.name, item.field.yours), to: item.path)
        #expect(page.status == 412 && page.text.contains("since you opened it"))
        let written = item.field.theirs.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        #expect(page.text.contains(written) && page.text.contains(item.field.yours))
        let asked = try #require(SentForm(page.text, action: item.path))
        #expect(asked["decide-0"] == "yours" && asked["decide-1"] == nil)
        let saved = try await browser.send(asked.with("decide-0", side), to: item.path)
        #expect(saved.status == 303, "\(saved.text)")
        #expect(browser.api.lines.count { $0 == item.send } > before)
        let chosen = side == "yours" ? item.field.yours : item.field.theirs
        let left = side == "yours" ? item.field.theirs : item.field.yours
        #expect(sent(browser, item).contains(chosen) && !sent(browser, item).contains(left))
    }

    /// The last body of its call, as text.
    private func sent(_ browser: Browser, _ item: ConflictCase) -> String {
        let body = browser.api.body(of: item.send) ?? .null
        return String(decoding: body.bytes, as: UTF8.self)
    }

    @Test func `who changed a setting is read from its audit event, since the form was filled`()
        async throws
    {
        let item = try #require(ConflictCase.all.first { $0.pattern == "/tools/{id}" })
        let browser = item.browser([
            "GET /v1/audit-events": (
                200,
                [
                    "items": [
                        [
                            "id": "e1", "at": "2026-11-22T10:00:00.000Z", "kind": "toolChange",
                            "personId": "p7",
                        ]
                    ]
                ]
            )
        ])
        let form = try #require(try await item.form(browser))
        browser.api.set(item.read, (200, item.changed))
        let page = try await browser.send(
            form.with(item.field.name, item.field.yours), to: item.path)
        #expect(
            page.text.contains(
                ">Ada &lt;b&gt; Lindqvist has changed “Quiz” since you opened it</h1>"))
        #expect(
            browser.api.queries("GET /v1/audit-events") == [
                "limit=1&kind=toolChange&subjectId=x1&since=2026-11-22T10:00:00.000Z"
            ])
    }

    @Test func `roles are one thing: whole rows are chosen, never mixed`() async throws {
        let item = try #require(ConflictCase.all.first { $0.pattern == "/people/{id}/edit" })
        let browser = item.browser()
        let form = try #require(try await item.form(browser))
        var person = try #require(item.document.object)
        person["roles"] = [["role": "staff", "locationId": "l2"]]
        browser.api.set(item.read, (200, .object(person)))
        let page = try await browser.send(form.with("role-0", "teacher"), to: item.path)
        #expect(page.status == 412)
        let asked = try #require(SentForm(page.text, action: item.path))
        _ = try await browser.send(asked, to: item.path)
        #expect(
            browser.api.body(of: item.send)?["roles"] == [
                ["role": "teacher", "locationId": "l1"], ["role": "staff", "locationId": "l2"],
            ])
        _ = try await browser.send(asked.with("decide-0", "theirs"), to: item.path)
        #expect(
            browser.api.body(of: item.send)?["roles"] == [["role": "staff", "locationId": "l2"]])
    }

    @Test func `a secret stands on no page, and is asked for once more`() async throws {
        let item = try #require(
            ConflictCase.all.first { $0.pattern == "/sign-in-providers/{id}" })
        let browser = item.browser()
        let form = try #require(try await item.form(browser))
        browser.api.set(item.read, (200, item.changed))
        let page = try await browser.send(
            form.with("name", "Yours").with("clientSecret", "sesame"), to: item.path)
        #expect(page.status == 412 && !page.text.contains("sesame"))
        let asked = try #require(SentForm(page.text, action: item.path))
        #expect(asked["clientSecret"] == "")
        _ = try await browser.send(asked.with("clientSecret", "sesame"), to: item.path)
        #expect(browser.api.body(of: item.send)?["clientSecret"] == "sesame")
    }

    @Test func `boxes that two people tick are both ticked`() async throws {
        let item = try #require(ConflictCase.all.first { $0.pattern == "/webhooks/{id}" })
        let browser = item.browser()
        let form = try #require(try await item.form(browser))
        var webhook = try #require(item.document.object)
        webhook["kinds"] = ["person", "roster", "term"]
        browser.api.set(item.read, (200, .object(webhook)))
        let saved = try await browser.send(
            form.ticking("kind", "class", true).ticking("kind", "roster", false), to: item.path)
        #expect(saved.status == 303)
        #expect(browser.api.body(of: item.send)?["kinds"] == ["person", "class", "term"])
    }

    @Test func `what is gone meanwhile is said, with what was typed`() async throws {
        let item = try #require(ConflictCase.all.first { $0.pattern == "/tools/{id}" })
        let browser = item.browser()
        let form = try #require(try await item.form(browser))
        browser.api.set(item.send, FakeAPI.problem(412, "precondition_failed"))
        browser.api.set(item.read, FakeAPI.problem(404, "not_found"))
        let page = try await browser.send(form.with("name", "Yours"), to: item.path)
        #expect(page.status == 404 && page.text.contains("value=\"Yours\""))
    }

    @Test func `privileges that somebody else withdrew meanwhile stay withdrawn`() async throws {
        func privileges(withdrawn: Set<String>) -> JSONValue {
            let places: [JSONValue] = [.null, "l1", "l2"]
            let items = ["makeClasses", "resetPasswords"].flatMap { name in
                places.map { place -> JSONValue in
                    let isWithdrawn = withdrawn.contains("\(name)@\(place.text ?? "all")")
                    return [
                        "privilege": .text(name), "locationId": place,
                        "granted": .bool(!isWithdrawn), "inherited": .bool(place != .null),
                    ]
                }
            }
            return ["items": .array(items)]
        }
        let browser = AdministratorsPages.browser([
            "GET /v1/privileges": (200, privileges(withdrawn: [])),
            "PUT /v1/privileges/makeClasses/locations/l2": (204, .null),
        ])
        let path = "/school/privileges"
        let form = try #require(SentForm(try await browser.get(path).text, action: path))
        browser.api.set(
            "GET /v1/privileges", (200, privileges(withdrawn: ["resetPasswords@l1"])))
        let saved = try await browser.send(form.ticking("makeClasses", "l2", false), to: path)
        #expect(saved.status == 303)
        let changes = browser.api.lines.filter { $0.hasPrefix("P") && $0.contains("privileges") }
        #expect(changes == ["PUT /v1/privileges/makeClasses/locations/l2"])
    }
}
