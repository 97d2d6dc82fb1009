import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Imports

/// The source of a roster as an administrator sets it, and what its pulls bring.
@Suite struct RosterSources {
    @Test func `a pull brings what an archive of the same roster brings`() async throws {
        let provider = FakeProvider()
        try await withSchool(sources: provider) { school in
            _ = try await school.importArchive(.oneRoster2)
            let before = try school.roster()
            try await school.setSource()
            let imported = try await school.pulled()
            #expect(imported.errorLines == [] && imported.status == "succeeded")
            #expect(imported["format"]?.text == "oneRoster-1.2")
            #expect(imported["fileName"]?.text == "OneRoster, sis.example")
            #expect(imported["sentBy"]?.isNull != false)
            #expect(imported.counts("users.csv") == [0, 0, 13, 0])
            #expect(imported.counts("enrollments.csv") == [0, 0, 16, 0])
            #expect(try school.roster() == before)
        }
    }

    @Test func `a first pull makes everyone, and says who ordered what`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource()
            let imported = try await school.pulled()
            #expect(imported.counts("users.csv") == [13, 0, 0, 0])
            #expect(try school.seats(of: "S1") == "student in K1, student in K2")
            let events = try school.sql(
                """
                select kind || ' ' || coalesce(details ->> 'change', details ->> 'result', '') as event
                  from school.audit_event
                 where organization_id = \(school.hillside) and kind in ('rosterSourceChange', 'rosterPull', 'import')
                """
            ).map { try $0.text("event") }
            #expect(
                events.sorted() == [
                    "import ", "rosterPull imported", "rosterPull ordered",
                    "rosterSourceChange set",
                ])
            let source = try await school.get("/v1/roster-source", as: .ada).json
            #expect(source["failure"]?.isNull != false && source["finishedAt"]?.text != nil)
            #expect(source["lastImport"]?["status"]?.text == "succeeded")
        }
    }

    @Test func `a pull that would remove many waits for approval`() async throws {
        let provider = FakeProvider()
        try await withSchool(sources: provider) { school in
            try await school.setSource()
            _ = try await school.pulled()
            provider.edit("users") { $0.removeFirst(5) }
            provider.edit("enrollments") { $0.removeFirst(5) }
            // The seats of S1 and S2 in the other class.
            provider.edit("enrollments") {
                $0.removeAll { ["R12", "R13"].contains($0["sourcedId"]?.text) }
            }
            let before = try school.fingerprint()
            let waiting = try await school.pulled()
            #expect(waiting.status == "awaitingApproval" && waiting.errorLines == [])
            #expect(waiting.counts("users.csv") == [0, 0, 8, 5])
            #expect(try school.fingerprint() == before)
            let figures = try school.sql(
                "select roster_sources_waiting from school.service_figures()")
            #expect(try figures[0].int("roster_sources_waiting") == 1)
            let id = try #require(waiting["id"]?.text)
            let approval = try await school.post("/v1/imports/\(id)/approval", as: .petra)
            #expect(approval.status == 202)
            #expect(try await school.ended("/v1/imports/\(id)").status == "succeeded")
        }
    }

    @Test
    func
        `a seat in a class that a provider does not serve is left out, and too many end the import`()
        async throws
    {
        let provider = FakeProvider()
        provider.edit("enrollments") {
            $0.append(FakeProvider.seat("R99", "K9", "L1", "S1", "student"))
        }
        try await withSchool(sources: provider) { school in
            try await school.setSource()
            let lenient = try await school.pulled()
            #expect(lenient.status == "succeeded")
            #expect(
                lenient.lines(of: "warnings") == [
                    "enrollments.csv:18:classSourcedId unknown_reference"
                ])
            provider.edit("enrollments") {
                for number in 100..<111 {
                    $0.append(
                        FakeProvider.seat("R\(number)", "K9", "L1", "S\(number - 99)", "student"))
                }
            }
            let failed = try await school.pulled()
            #expect(failed.status == "failed")
            #expect(failed.errorLines == ["enrollments.csv:18:- too_many_left_out"])
            let findings = try school.sql(
                "select school.check_roster_source_failing(\(school.hillside), null) as id")
            #expect(findings.count == 1)
        }
    }

    @Test func `a pull that has read someone who is erased meanwhile begins again`() async throws {
        let provider = FakeProvider()
        try await withSchool(sources: provider) { school in
            try await school.setSource()
            _ = try await school.pulled()
            let person: Statement =
                "select person_id from school.person where source_id = 'S11'"
            let id = try school.sql(person)[0].uuid("person_id")
            let isErased = Flag()
            let ada = school.caller(.ada)
            provider.intercept { request, _ in
                // Behind the users. The person is erased in the information system, too.
                guard request.address.rest.contains("/courses"), isErased.raise() else {
                    return nil
                }
                provider.edit("users") { $0.removeAll { $0["sourcedId"] == "S11" } }
                provider.edit("enrollments") { $0.removeAll { $0["sourcedId"] == "R11" } }
                let outcome = try school.sql(
                    "select outcome from school.erase_person(\(id))", as: ada)
                #expect(try outcome[0].text("outcome") == "erased")
                return nil
            }
            let imported = try await school.pulled()
            #expect(isErased.raise() == false && imported.status == "succeeded")
            #expect(imported.counts("users.csv") == [0, 0, 12, 0])
            #expect(try school.sql(person).isEmpty, "nobody came back")
            let pulls = provider.calls.count(where: {
                $0.contains("/users?limit=1000&offset=0") && !$0.contains("filter")
            })
            #expect(pulls == 3, "the first, the one that ended, and the one that it ordered")
        }
    }

    @Test func `nothing is pulled for an organization that is to be deleted`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource()
            try school.sql(
                "update school.roster_source set ordered_at = now() - interval '3 hours'")
            func state() throws -> [Bool] {
                let row = try school.sql(
                    """
                    select school.has_due_roster_pull(key_id) as is_due,
                           school.is_roster_failing(s) as is_failing
                      from school.roster_source as s
                    """)[0]
                return [try row.bool("is_due"), try row.bool("is_failing")]
            }
            let claim: Statement =
                """
                select c.claim_id from school.roster_source as s, school.claim_roster_pull(s.key_id, 1) as c
                """
            #expect(try state() == [true, true])
            try school.sql("select from school.order_deletion(\(school.hillside), 30)")
            #expect(try state() == [false, false] && school.sql(claim).isEmpty)
            try school.sql("select school.cancel_deletion(\(school.hillside))")
            #expect(try state() == [true, true] && school.sql(claim).count == 1)
        }
    }

    @Test func `a failure is told to administrators, and tried again`() async throws {
        let provider = FakeProvider()
        provider.intercept { _, _ in OutgoingAnswer(status: 429, body: [], retryAfter: 3600) }
        try await withSchool(sources: provider) { school in
            try await school.setSource()
            _ = try await school.post("/v1/roster-source/pull", as: .ada)
            let source = try await school.get("/v1/roster-source", as: .ada).json
            #expect(source["failure"]?["code"]?.text == "busy")
            #expect(source["failingSince"]?.text != nil && source["status"]?.text == "resting")
            let next = try school.sql(
                """
                select tries, next_pull_at > now() and next_pull_at <= now() + interval '1 hour' as is_soon
                  from school.roster_source where organization_id = \(school.hillside)
                """)[0]
            #expect(try next.bool("is_soon") && next.int("tries") == 1)
            let figures = try school.sql(
                "select roster_sources_failing from school.service_figures()")
            #expect(try figures[0].int("roster_sources_failing") == 1)

            provider.intercept(nil)
            _ = try await school.pulled()
            let mended = try await school.get("/v1/roster-source", as: .ada).json
            #expect(mended["failingSince"]?.isNull != false)
        }
    }

    @Test func `the secret is sealed, and comes back nowhere`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            let set = try await school.setSource()
            let shown = try await school.get("/v1/roster-source", as: .ada)
            let rows = try school.sql("select sealed_secret, key_id from school.roster_source")
            let secret = Array(FakeProvider.secret.utf8)
            #expect(try rows[0].bytes("sealed_secret").count == secret.count + 28)
            for bytes in [set.body, shown.body, try rows[0].bytes("sealed_secret")] {
                #expect(!bytes.isEmpty && bytes.firstRange(of: secret) == nil)
            }
            #expect(!shown.text.contains("ecret\":"))
        }
    }

    @Test func `with another key, the secret is lost until it is entered again`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource()
            try school.sql("update school.roster_source set key_id = 'another'")
            _ = try await school.post("/v1/roster-source/pull", as: .ada)
            let waiting = try await school.get("/v1/roster-source", as: .ada).json
            #expect(waiting["status"]?.text == "waiting", "a server with that key may come")
            try school.sql(
                "update school.roster_source set ordered_at = now() - interval '6 minutes'")
            _ = try await school.post("/v1/roster-source/pull", as: .ada)
            let lost = try await school.get("/v1/roster-source", as: .ada).json
            #expect(lost["failure"]?["code"]?.text == "secret_lost")
            try await school.setSource()
            #expect(try await school.pulled().status == "succeeded")
        }
    }

    @Test func `a secret moved to another row or address does not open`() async throws {
        let provider = FakeProvider()
        try await withSchool(sources: provider) { school in
            try await school.setSource()
            try school.sql(
                "update school.roster_source set token_url = 'https://evil.example/token'")
            _ = try await school.post("/v1/roster-source/pull", as: .ada)
            let source = try await school.get("/v1/roster-source", as: .ada).json
            #expect(source["failure"]?["code"]?.text == "secret_lost")
            #expect(provider.calls.isEmpty, "nobody was asked")
        }
    }
}

extension TestSchool {
    static let source: JSONValue = [
        "url": .text(FakeProvider.url), "clientId": .text(FakeProvider.clientID),
        "clientSecret": .text(FakeProvider.secret),
    ]

    @discardableResult
    func setSource(_ source: JSONValue = TestSchool.source) async throws -> Answer {
        let answer = try await put("/v1/roster-source", as: .ada, json: source)
        try #require([200, 201].contains(answer.status), "\(answer.text)")
        return answer
    }

    /// Pulls, and waits for the end of the import.
    func pulled() async throws -> JSONValue {
        let ordered = try await post("/v1/roster-source/pull", as: .ada)
        #expect(ordered.status == 202)
        let source = try await get("/v1/roster-source", as: .ada).json
        #expect(source["failure"]?.isNull != false, "\(source)")
        let id = try #require(source["lastImport"]?["id"]?.text)
        return try await ended("/v1/imports/\(id)")
    }
}
