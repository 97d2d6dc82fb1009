import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

@Suite struct SignInSheets {
    @Test func `a teacher's sheet of a class has a working password for every student`()
        async throws
    {
        try await withSchool { school in
            let before = try await school.signIn(.sam)
            let answer = try await school.orderSheet(
                ["classId": .text(school.biology.uuid.description)], as: .tom)
            #expect(answer.status == 200)
            #expect(answer.header("content-type")?.hasPrefix("text/csv") == true)
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("vary") == "Accept")
            let slips = try SheetRow.all(answer)
            #expect(slips.map(\.givenName) == ["Sam", "Sue"])
            #expect(slips.map(\.managedID) == [Persona.sam.managedID, Persona.sue.managedID])
            #expect(slips.map(\.classes) == ["Biology", "Biology"])
            #expect(Set(slips.map(\.password)).count == 2)

            #expect(try await school.status(of: before.accessToken) == 401)
            #expect(try await school.refresh(before.refreshToken).status == 401)
            #expect(try await school.trySignIn(Persona.sam.managedID).status == 401)
            for (persona, slip) in zip([Persona.sam, .sue], slips) {
                let signedIn = try await school.signIn(persona, slip.password)
                #expect(signedIn.mustChangePassword == true)
            }
            let days =
                ((Timestamp(slips[0].expiresAt)?.milliseconds ?? 0) - Clock.system.now.milliseconds)
                / 86_400_000
            #expect((13...14).contains(days))
            _ = try await school.signIn(.ben)
        }
    }

    @Test func `a sheet is one event, with the ids of everyone on it`() async throws {
        try await withSchool { school in
            _ = try await school.orderSheet(["classId": "source:class-Biology"], as: .tom)
            let events = try await school.get(
                "/v1/audit-events?kind=temporaryPassword", as: .ada
            ).items
            #expect(events.count == 1)
            #expect(events.first?["personId"]?.text == school.id(.tom).uuid.description)
            #expect(events.first?["subjectKind"] == "class")
            #expect(events.first?["subjectId"]?.text == school.biology.uuid.description)
            let ids = events.first?["details"]?["personIds"]?.array?.compactMap(\.text) ?? []
            #expect(
                Set(ids) == Set([Persona.sam, .sue].map { school.id($0).uuid.description }))
        }
    }

    @Test func `a page to print loads nothing and runs nothing`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person
                   set given_name = '<script>alert("1")</script>', family_name = '=2+2 & Co'
                 where person_id = \(school.id(.sam))
                """)
            let answer = try await school.orderSheet(
                ["classId": "source:class-Biology"], as: .petra, accept: "text/html, */*;q=0.1")
            #expect(answer.header("content-type") == "text/html; charset=utf-8")
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("referrer-policy") == "no-referrer")
            let page = answer.text
            let style = try #require(page.firstMatch(of: #/<style>((?s:.*?))<\/style>/#)).output.1
            let digest = Base64.encode(SHA256.digest(String(style)).bytes)
            #expect(
                answer.header("content-security-policy")
                    == "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'")
            #expect(style.contains("break-inside:avoid") && style.contains("@media print"))
            #expect(page.count(of: "<section>") == 2)
            #expect(
                page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; =2+2 &amp; Co"))
            for foreign in ["<script", "http:", "https:", "url(", "@import", "<img", "<link"] {
                #expect(!page.contains(foreign), "\(foreign)")
            }
            let passwords = page.matches(of: #/class="password">([^<]+)</#).map {
                String($0.output.1)
            }
            #expect(passwords.count == 2)
            _ = try await school.signIn(.sue, passwords[1])
        }
    }

    @Test func `a spreadsheet executes nothing from a sheet`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set given_name = '=1+1', family_name = '@cmd'
                 where person_id = \(school.id(.sam))
                """)
            let answer = try await school.orderSheet(["personIds": ["source:sis-sam"]], as: .ada)
            #expect(answer.text.contains(",'=1+1,'@cmd,"))
        }
    }

    @Test
    func `the format is negotiated, and asking for anything but CSV or HTML sets no password`()
        async throws
    {
        try await withSchool { school in
            let body: JSONValue = ["personIds": ["source:sis-sam"]]
            for (accept, type) in [
                (nil, "text/csv"), ("*/*", "text/csv"), ("text/*", "text/csv"),
                ("text/html", "text/html"), ("text/csv;q=0.5, text/html;q=0.6", "text/html"),
                ("text/html;q=0, */*", "text/csv"),
            ] {
                let answer = try await school.orderSheet(body, as: .ada, accept: accept)
                #expect(answer.header("content-type")?.hasPrefix(type) == true, "\(accept ?? "")")
            }
            let signedIn = try SheetRow.all(await school.orderSheet(body, as: .ada))
            for accept in ["application/json", "text/csv;q=0, text/html;q=0", "image/*"] {
                let answer = try await school.orderSheet(body, as: .ada, accept: accept)
                #expect(answer.status == 406, "\(accept)")
            }
            let keyed = try await school.post(
                "/v1/sign-in-sheets", as: .ada, json: body, headers: [("Idempotency-Key", "once")])
            #expect(keyed.code == "idempotency_key_refused")
            _ = try await school.signIn(.sam, signedIn[0].password)
        }
    }

    @Test func `a request names one of class, location and people`() async throws {
        try await withSchool { school in
            let biology = JSONValue.text(school.biology.uuid.description)
            let cases: [(JSONValue, String)] = [
                ([:], ""), (["classId": biology, "personIds": ["source:sis-sam"]], ""),
                (["personIds": []], "/personIds"), (["classId": "nonsense"], "/classId"),
                (["classId": "source:nothing"], "/classId"),
                (["locationId": "source:nothing"], "/locationId"),
                (["classId": .text(TestIDs.elsewhereClass.uuid.description)], "/classId"),
                (["personIds": ["source:sis-sam", "source:sis-otto"]], "/personIds/1"),
                (
                    ["personIds": .array([JSONValue](repeating: "source:sis-sam", count: 251))],
                    "/personIds"
                ),
            ]
            for (body, pointer) in cases {
                let answer = try await school.orderSheet(body, as: .ada)
                #expect(answer.status == 422, "\(body)")
                #expect(answer.pointers == [pointer], "\(body)")
            }
            _ = try await school.signIn(.sam)
        }
    }
}

/// A row of a sheet as CSV.
struct SheetRow {
    let givenName: String
    let classes: String
    let managedID: String
    let password: String
    let expiresAt: String

    /// The rows below the header.
    static func all(_ answer: Answer) throws -> [SheetRow] {
        try #require(answer.status == 200, "\(answer.text)")
        let lines = answer.text.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        try #require(lines.allSatisfy { $0.count == 8 })
        #expect(lines[0].suffix(7).first == "givenName")
        return lines.dropFirst().map {
            SheetRow(
                givenName: $0[1], classes: $0[3], managedID: $0[4], password: $0[5],
                expiresAt: $0[6])
        }
    }
}

extension TestSchool {
    func orderSheet(
        _ body: JSONValue, as persona: Persona?, accept: String? = nil
    ) async throws -> Answer {
        try await post(
            "/v1/sign-in-sheets", as: persona, json: body,
            headers: accept.map { [("Accept", $0)] } ?? [])
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(part) - 1 }

    private func components(_ part: String) -> Int { self.ranges(of: part).count + 1 }
}
