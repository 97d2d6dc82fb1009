import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Imports

/// The calls about roster sources, and which process pulls.
@Suite struct RosterSourceCalls {
    private func body(_ changes: [(String, JSONValue?)]) -> JSONValue {
        var body = TestSchool.source.object ?? JSONObject()
        for (key, value) in changes {
            if let value {
                body[key] = value
            } else {
                body = JSONObject(body.members.filter { $0.key != key }.map { ($0.key, $0.value) })
            }
        }
        return .object(body)
    }

    @Test func `a source is set, replaced and removed`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            #expect(try await school.get("/v1/roster-source", as: .ada).status == 404)
            #expect(try await school.post("/v1/roster-source/pull", as: .ada).status == 404)
            #expect(try await school.delete("/v1/roster-source", as: .ada).status == 404)
            let made = try await school.setSource()
            #expect(made.status == 201)
            #expect(made.json["tokenUrl"]?.text == "https://sis.example/oauth/token")
            #expect(made.json["pullTime"]?.text == "02:30" && made.json["enabled"]?.bool == true)
            #expect(made.json["nextPullAt"]?.text != nil)
            let replaced = try await school.setSource(
                body([("enabled", false), ("pullTime", "23:59"), ("clientSecret", nil)]))
            #expect(replaced.status == 200 && replaced.json["nextPullAt"]?.isNull != false)
            #expect(try await school.get("/v1/roster-source", as: .olga).status == 404)
            #expect(try await school.delete("/v1/roster-source", as: .olga).status == 404)
            #expect(try await school.delete("/v1/roster-source", as: .ada).status == 204)
            #expect(try school.sql("select from school.roster_source").count == 0)
        }
    }

    @Test func `the next pull is at the hour of the organization`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource(body([("pullTime", "03:15")]))
            let next = try school.sql(
                """
                select to_char(s.next_pull_at at time zone o.time_zone, 'HH24:MI') as hour,
                       s.next_pull_at > now() and s.next_pull_at < now() + interval '25 hours' as is_next
                  from school.roster_source as s join school.organization as o using (organization_id)
                """)[0]
            #expect(try next.text("hour") == "03:15" && next.bool("is_next"))
        }
    }

    @Test func `a new address, or another client, needs the secret`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource()
            for change: (String, JSONValue?) in [
                ("url", "https://evil.example/v1p2"), ("tokenUrl", "https://evil.example/token"),
                ("clientId", "another"),
            ] {
                let answer = try await school.put(
                    "/v1/roster-source", as: .ada, json: body([change, ("clientSecret", nil)]))
                #expect(answer.status == 422 && answer.pointers == ["/clientSecret"], "\(change.0)")
            }
            try school.sql("delete from school.roster_source")
            let first = try await school.put(
                "/v1/roster-source", as: .ada, json: body([("clientSecret", nil)]))
            #expect(first.status == 422 && first.pointers == ["/clientSecret"])
        }
    }

    @Test(arguments: [
        ("url", "https://sis.example/orgs"), ("url", "http://sis.example/v1p2"),
        ("url", "https://sis.example/v1p2?a=b"), ("url", "https://u:p@sis.example/v1p2"),
        ("url", "ftp://sis.example/v1p2"), ("url", "/v1p2"), ("tokenUrl", "http://sis.example/t"),
        ("tokenUrl", "sis.example"), ("pullTime", "24:00"), ("pullTime", "02:60"),
        ("pullTime", "2:300"), ("pullTime", "+2:+3"), ("clientId", ""), ("clientSecret", ""),
    ])
    func `what cannot be is refused with its field`(name: String, value: String) async throws {
        try await withSchool(sources: FakeProvider()) { school in
            let answer = try await school.put(
                "/v1/roster-source", as: .ada, json: body([(name, .text(value))]))
            #expect(answer.status == 422 && answer.pointers == ["/\(name)"], "\(answer.text)")
            #expect(try school.sql("select from school.roster_source").count == 0)
        }
    }

    @Test func `a pull is claimed by one process, and by the next when that dies`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource()
            try school.sql("update school.roster_source set ordered_at = now()")
            let key = try school.sql("select key_id from school.roster_source")[0].text("key_id")
            let claim: Statement = "select claim_id from school.claim_roster_pull(\(key), 2)"
            let first = try school.sql(claim)
            #expect(try first.count == 1 && school.sql(claim).count == 0)
            let claimID = try first[0].uuid("claim_id")
            let renew: Statement = """
                select school.renew_roster_pull(\(school.hillside), \(claimID)) as is_own
                """
            #expect(try school.sql(renew)[0].bool("is_own"))
            try school.sql(
                "update school.roster_source set claimed_until = now() - interval '1 second'")
            let second = try school.sql(claim)
            #expect(second.count == 1)
            #expect(try !school.sql(renew)[0].bool("is_own"), "the first process came back")
            let finish: Statement = """
                select school.finish_roster_pull(\(school.hillside), \(claimID), gen_random_uuid()) as is_own
                """
            #expect(try !school.sql(finish)[0].bool("is_own"))
        }
    }

    @Test func `a pull that ends its process three times is given up`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource()
            try school.sql("update school.roster_source set ordered_at = now()")
            let key = try school.sql("select key_id from school.roster_source")[0].text("key_id")
            for attempt in 1...4 {
                let claimed = try school.sql(
                    "select claim_id from school.claim_roster_pull(\(key), 2)")
                #expect(claimed.count == (attempt < 4 ? 1 : 0))
                try school.sql(
                    "update school.roster_source set claimed_until = now() - interval '1 second'")
            }
            let source = try await school.get("/v1/roster-source", as: .ada).json
            #expect(source["failure"]?["code"]?.text == "interrupted")
        }
    }

    @Test func `a pull whose source was changed meanwhile brings nothing`() async throws {
        let provider = FakeProvider()
        try await withSchool(sources: provider) { school in
            try await school.setSource()
            let isChanged = Flag()
            provider.intercept { request, _ in
                if request.address.rest.contains("/enrollments"), isChanged.raise() {
                    try school.sql(
                        "update school.roster_source set url = 'https://new.example/v1p2'")
                }
                return nil
            }
            _ = try await school.post("/v1/roster-source/pull", as: .ada)
            #expect(try school.sql("select from school.import").count == 0)
        }
    }

    @Test func `pulls that fail leave room for those that do not`() async throws {
        try await withSchool(sources: FakeProvider()) { school in
            try await school.setSource()
            try school.sql(
                "update school.roster_source set ordered_at = now(), failing_since = now()")
            let key = try school.sql("select key_id from school.roster_source")[0].text("key_id")
            #expect(try school.sql("select from school.claim_roster_pull(\(key), 0)").count == 0)
            #expect(try school.sql("select from school.claim_roster_pull(\(key), 1)").count == 1)
        }
    }
}
