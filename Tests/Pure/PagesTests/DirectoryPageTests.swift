import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The pages about classes, courses, terms and locations.
@Suite struct DirectoryPages {
    private static let item: JSONValue = [
        "id": "c1", "name": "Science <7>", "number": "7A", "locationId": "l1", "courseId": "k1",
        "termId": "t1", "status": "active", "teacherIds": ["p7"], "studentIds": [],
        "room": "<12>",
    ]

    private static let term: JSONValue = [
        "id": "t1", "name": "Autumn <26>", "kind": "semester", "startsOn": "2026-08-17",
        "endsOn": "2027-02-01", "status": "open",
    ]

    private func browser(
        _ answers: [String: FakeAPI.Answer] = [:], as standing: String = "administrator"
    ) -> Browser {
        let course: JSONValue = ["id": "k1", "name": "Science", "locationId": "l1"]
        let all: [String: FakeAPI.Answer] = [
            "GET /v1/classes": (200, ["items": [Self.item], "nextPageToken": "T2"]),
            "GET /v1/classes/c1": (200, Self.item),
            "GET /v1/classes/c1/teachers": (200, ["items": [AdministratorsPages.mira]]),
            "GET /v1/classes/c1/students": (200, ["items": []]),
            "GET /v1/courses": (200, ["items": [course]]), "GET /v1/courses/k1": (200, course),
            "GET /v1/terms": (200, ["items": [Self.term]]), "GET /v1/terms/t1": (200, Self.term),
            "GET /v1/people": (200, ["items": [AdministratorsPages.mira]]),
        ]
        return AdministratorsPages.browser(all.merging(answers) { $1 }, as: standing)
    }

    @Test func `classes are found by name and filters`() async throws {
        let browser = browser()
        let page = try await browser.get("/school/classes?q=sci&term=t1&status=active")
        #expect(
            page.text.contains("href=\"/school/classes/c1\" dir=\"auto\">Science &lt;7&gt;</a>"))
        #expect(page.text.contains("<option value=\"t1\" selected>Autumn &lt;26&gt;</option>"))
        #expect(
            page.text.contains(
                "href=\"/school/classes?q=sci&amp;term=t1&amp;status=active&amp;page=T2"))
        #expect(
            browser.api.queries("GET /v1/classes") == ["limit=50&q=sci&termId=t1&status=active"])
    }

    @Test func `a class shows who is in it, also on another day`() async throws {
        let browser = browser()
        let page = try await browser.get("/school/classes/c1")
        #expect(
            page.text.contains("<a href=\"/people/p7\" dir=\"auto\">Ada &lt;b&gt; Lindqvist</a>"))
        #expect(page.text.contains("action=\"/school/classes/c1/teacher/p7/end\""))
        #expect(page.text.contains("<bdi>&lt;12&gt;</bdi>") && page.text.contains("No students"))
        #expect(page.text.contains("href=\"/apps?class=c1\""))
        let then = try await browser.get("/school/classes/c1?asOf=2026-09-01")
        #expect(then.text.contains("As it was on Tue 1 Sep"))
        #expect(!then.text.contains("/end\"") && !then.text.contains("/seats\""))
        #expect(
            browser.api.queries("GET /v1/classes/c1/students").last == "asOf=2026-09-01&limit=1000")
        let reader = try await self.browser(as: "contentManager").get("/school/classes/c1")
        #expect(reader.status == 200)
        for part in ["/end\"", "/seats\"", "/edit\"", "/audit"] {
            #expect(!reader.text.contains(part), "\(part)")
        }
    }

    @Test func `people are added by name and taken out`() async throws {
        let browser = browser([
            "PUT /v1/classes/c1/students/p7": (201, [:]),
            "DELETE /v1/classes/c1/teachers/p7": (204, .null),
        ])
        _ = try await browser.get("/school/classes/c1")
        let added = try await browser.post(
            "/school/classes/c1/seats", [("whom", "ada"), ("role", "student")])
        #expect(added.location == "/school/classes/c1")
        #expect(browser.api.lines.contains("PUT /v1/classes/c1/students/p7"))
        let out = try await browser.post("/school/classes/c1/teacher/p7/end")
        #expect(out.location == "/school/classes/c1")
        #expect(browser.api.lines.contains("DELETE /v1/classes/c1/teachers/p7"))
    }

    @Test func `whom a name means is asked, and a full class is explained`() async throws {
        let two: JSONValue = ["items": [AdministratorsPages.mira, AdministratorsPages.mira]]
        let browser = browser([
            "GET /v1/people": (200, two),
            "PUT /v1/classes/c1/teachers/p7": FakeAPI.problem(409, "class_full"),
            "DELETE /v1/classes/c1/students/p7": FakeAPI.problem(403, "forbidden"),
        ])
        _ = try await browser.get("/school/classes/c1")
        let unclear = try await browser.post(
            "/school/classes/c1/seats", [("whom", "ada"), ("role", "teacher")])
        #expect(unclear.status == 422 && unclear.text.contains("name=\"person\" value=\"p7\""))
        let full = try await browser.post(
            "/school/classes/c1/seats", [("person", "p7"), ("role", "teacher")])
        #expect(full.status == 409 && full.text.contains("The class is full"))
        let imported = try await browser.post("/school/classes/c1/student/p7/end")
        #expect(imported.status == 403 && imported.text.contains("This class was imported"))
    }

    @Test func `a class is made, changed and removed`() async throws {
        let browser = browser([
            "POST /v1/classes": (201, ["id": "c9"]), "PATCH /v1/classes/c1": (200, Self.item),
            "DELETE /v1/classes/c1": FakeAPI.problem(409, "class_in_use"),
        ])
        _ = try await browser.get("/school/classes/new")
        let made = try await browser.post(
            "/school/classes/new", [("name", "Art"), ("locationId", "l1"), ("courseId", "")])
        #expect(made.location == "/school/classes/c9")
        let body: JSONValue = ["name": "Art", "locationId": "l1"]
        #expect(browser.api.body(of: "POST /v1/classes") == body)
        let form = try await browser.get("/school/classes/c1/edit")
        #expect(form.text.contains("value=\"&lt;12&gt;\""))
        _ = try await browser.post(
            "/school/classes/c1/edit",
            [("version", "\"4\""), ("name", "Art"), ("locationId", "l1"), ("room", "")])
        #expect(browser.api.body(of: "PATCH /v1/classes/c1")?["room"] == .null)
        #expect(browser.api.calls.last { $0.line == "PATCH /v1/classes/c1" }?.match == "\"4\"")
        let used = try await browser.post("/school/classes/c1/removal")
        #expect(used.status == 409 && used.text.contains("Close its term to archive it"))
    }

    @Test func `a term is made with its last day, and closed after a question`() async throws {
        let browser = browser([
            "POST /v1/terms": FakeAPI.problem(
                409, "terms_overlap",
                JSONObject([("errors", [["pointer": "/startsOn", "code": "terms_overlap"]])])),
            "GET /v1/classes": (200, ["items": [Self.item]]),
            "PUT /v1/terms/t1/closing": (200, Self.term),
            "DELETE /v1/terms/t1/closing": FakeAPI.problem(409, "term_closed"),
        ])
        let list = try await browser.get("/school/terms")
        #expect(list.text.contains("Autumn &lt;26&gt;") && list.text.contains("Sun 31 Jan 2027"))
        let form = try await browser.get("/school/terms/t1/edit")
        #expect(form.text.contains("type=\"date\" value=\"2027-01-31\""))
        let refused = try await browser.post(
            "/school/terms/new",
            [
                ("name", "Spring"), ("kind", "semester"), ("startsOn", "2027-02-01"),
                ("endsOn", "2027-07-31"),
            ])
        #expect(refused.status == 409 && refused.text.contains("overlap another term"))
        #expect(browser.api.body(of: "POST /v1/terms")?["endsOn"] == "2027-08-01")
        let question = try await browser.get("/school/terms/t1/closing")
        #expect(question.text.contains("Close Autumn &lt;26&gt;?"))
        #expect(question.text.contains("class of the term and of its parts is archived"))
        #expect(try await browser.post("/school/terms/t1/closing").location == "/school/terms")
        let larger = try await browser.post("/school/terms/t1/reopening")
        #expect(larger.status == 409 && larger.text.contains("The larger term is closed"))
    }

    @Test func `locations and courses are listed, made and removed`() async throws {
        let browser = browser([
            "POST /v1/locations": (201, ["id": "l9"]), "POST /v1/courses": (201, ["id": "k9"]),
            "GET /v1/locations/l1": (200, ["id": "l1", "name": "Upper"]),
            "DELETE /v1/locations/l1": FakeAPI.problem(409, "location_in_use"),
        ])
        let locations = try await browser.get("/school/locations")
        #expect(
            locations.text.contains("href=\"/school/locations/l1/edit\" dir=\"auto\">Upper &lt;"))
        _ = try await browser.get("/school/locations/new")
        let made = try await browser.post(
            "/school/locations/new", [("name", "North"), ("timeZone", "")])
        #expect(made.location == "/school/locations")
        #expect(browser.api.body(of: "POST /v1/locations") == ["name": "North"])
        #expect(try await browser.get("/school/locations/l1/removal").status == 200)
        let used = try await browser.post("/school/locations/l1/removal")
        #expect(used.status == 409 && used.text.contains("still belong to this location"))
        let courses = try await browser.get("/school/courses?q=sci")
        #expect(courses.text.contains("href=\"/school/classes?course=k1\""))
        _ = try await browser.get("/school/courses/new")
        _ = try await browser.post(
            "/school/courses/new", [("name", "Art"), ("locationId", "l1"), ("number", "A-1")])
        let body: JSONValue = ["name": "Art", "number": "A-1", "locationId": "l1"]
        #expect(browser.api.body(of: "POST /v1/courses") == body)
        let reader = self.browser(as: "contentManager")
        #expect(!(try await reader.get("/school/locations").text.contains("/school/locations/new")))
    }
}
