import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

@Suite struct ServiceAccounts {
    @Test func `an administrator creates an account, and its secret is shown once`() async throws {
        try await withSchool { school in
            let made = try await school.post(
                "/v1/service-accounts", as: .ada,
                json: ["name": "Nightly sync", "role": "provisioner"])
            #expect(made.status == 201)
            #expect(made.header("cache-control") == "no-store")
            #expect(made.json["clientId"] == made.json["id"])
            let id = made.json["id"]?.text ?? ""
            let secret = made.json["clientSecret"]?.text ?? ""
            #expect(secret.utf8.count == 43)
            #expect(made.header("location") == "/v1/service-accounts/\(id)")

            let found = try await school.get("/v1/service-accounts/\(id)", as: .ada)
            #expect(found.json["name"] == "Nightly sync")
            #expect(found.header("etag") == made.header("etag"))
            let list = try await school.get("/v1/service-accounts", as: .ada)
            #expect(list.items.count == 1)
            for answer in [found, list] { #expect(!answer.text.contains("ecret\":\"")) }
            let unchanged = try await school.get(
                "/v1/service-accounts/\(id)", as: .ada,
                headers: [("If-None-Match", found.header("etag") ?? "")])
            #expect(unchanged.status == 304)

            let stored = try school.sql(
                """
                select count(*) filter (where secret_digest = sha256(\(Array(secret.utf8)))) as digests,
                       count(*) filter (where a::text like '%' || \(secret) || '%') as texts
                  from school.service_account as a
                """)
            #expect(try stored[0].int("digests") == 1)
            #expect(try stored[0].int("texts") == 0)
        }
    }

    @Test func `a renamed account keeps its secret and tokens`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let token = try await school.token(of: account)
            let path = "/v1/service-accounts/\(account.id)"
            let before = try await school.get(path, as: .ada)
            let renamed = try await school.patch(path, as: .ada, json: ["name": "Records"])
            #expect(renamed.status == 200)
            #expect(renamed.json["name"] == "Records")
            #expect(renamed.json["role"] == before.json["role"])
            #expect(renamed.header("etag") != before.header("etag"))
            let stale = try await school.patch(
                path, as: .ada, json: ["name": "Late"],
                headers: [("If-Match", before.header("etag") ?? "")])
            #expect(stale.status == 412)
            for body: JSONValue in [["name": nil], ["name": " "], ["role": "exporter"]] {
                let wrong = try await school.patch(path, as: .ada, json: body)
                #expect(wrong.status == 422)
            }
            let still = try await school.send("GET", "/v1/me", token: token)
            #expect(still.status == 200)
            _ = try await school.token(of: account)
            let events = try await school.get(
                "/v1/audit-events?kind=serviceAccountChange&subjectId=\(account.id)", as: .ada)
            #expect(events.items.map { $0["details"]?["change"] } == ["renamed", "created"])
            #expect(!events.text.contains("Records"), "events reveal no names")
            #expect(try await school.delete(path, as: .ada).status == 204)
            let gone = try await school.patch(path, as: .ada, json: ["name": "Gone"])
            #expect(gone.status == 404)
        }
    }

    @Test func `nobody else may see or change accounts`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let path = "/v1/service-accounts/\(account.id)"
            #expect(try await school.get(path, as: .ada).status == 200)
            let body: JSONValue = ["name": "Mine", "role": "provisioner"]
            for persona in [Persona.petra, .mara, .tom, .sam, .provisioner, .exporter, .samsApp] {
                let statuses = [
                    try await school.get("/v1/service-accounts", as: persona).status,
                    try await school.post("/v1/service-accounts", as: persona, json: body).status,
                    try await school.get(path, as: persona).status,
                    try await school.patch(path, as: persona, json: ["name": "Mine"]).status,
                    try await school.post(path + "/secret", as: persona).status,
                    try await school.delete(path, as: persona).status,
                ]
                #expect(statuses == [403, 403, 403, 403, 403, 403], "\(persona)")
            }
            #expect(try await school.get(path, as: .olga).status == 404)
            #expect(try await school.post(path + "/secret", as: .olga).status == 404)
            let foreign = try await school.patch(path, as: .olga, json: ["name": "Mine"])
            #expect(foreign.status == 404)
            #expect(try await school.delete(path, as: .olga).status == 404)
            #expect(try await school.get("/v1/service-accounts", as: .olga).items.isEmpty)
            #expect(try await school.askForToken(headers: [account.basic]).status == 200)
        }
    }

    @Test func `an impossible account is refused with its pointer`() async throws {
        try await withSchool { school in
            let cases: [(JSONValue, [String])] = [
                (["name": " ", "role": "administrator"], ["/name", "/role"]),
                (["name": "x", "role": "teacher", "secret": "mine"], ["/role", "/secret"]),
                ([:], ["/name", "/role"]),
                (
                    ["name": "x", "role": "exporter", "expiresAt": "2020-01-01T00:00:00Z"],
                    ["/expiresAt"]
                ),
            ]
            for (body, pointers) in cases {
                let answer = try await school.post("/v1/service-accounts", as: .ada, json: body)
                #expect(answer.status == 422)
                #expect(Set(answer.pointers) == Set(pointers))
            }
            for id in ["nonsense", "0195d1a0-0000-7000-8000-000000000000"] {
                let path = "/v1/service-accounts/\(id)"
                #expect(try await school.get(path, as: .ada).status == 404)
                #expect(try await school.delete(path, as: .ada).status == 404)
            }
        }
    }

    @Test func `a new secret voids the old one and all tokens`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let other = try await school.makeServiceAccount()
            let token = try await school.token(of: account)
            let othersToken = try await school.token(of: other)
            #expect(try await school.status(of: token) == 200)

            let path = "/v1/service-accounts/\(account.id)"
            let before = try await school.get(path, as: .ada).header("etag") ?? ""
            let keyed = try await school.post(
                path + "/secret", as: .ada, headers: [("Idempotency-Key", "once")])
            #expect(keyed.code == "idempotency_key_refused")
            let answer = try await school.post(
                path + "/secret", as: .ada, headers: [("If-Match", before)])
            #expect(answer.status == 200)
            #expect(answer.header("etag") != before)
            let stale = try await school.post(
                path + "/secret", as: .ada, headers: [("If-Match", before)])
            #expect(stale.status == 412)

            #expect(try await school.status(of: token) == 401)
            #expect(try await school.status(of: othersToken) == 200)
            #expect(try await school.askForToken(headers: [account.basic]).status == 401)
            let renewed = MadeAccount(
                id: account.id, secret: answer.json["clientSecret"]?.text ?? "")
            #expect(try await school.status(of: school.token(of: renewed)) == 200)
        }
    }

    @Test func `revoking an account ends it and its tokens, and audit events still name it`()
        async throws
    {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let token = try await school.token(of: account)
            #expect(try await school.status(of: token) == 200)
            let path = "/v1/service-accounts/\(account.id)"
            let stale = try await school.delete(path, as: .ada, headers: [("If-Match", "\"9\"")])
            #expect(stale.status == 412)
            #expect(try await school.status(of: token) == 200)

            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.status(of: token) == 401)
            #expect(try await school.askForToken(headers: [account.basic]).status == 401)
            #expect(try await school.get(path, as: .ada).status == 404)
            #expect(try await school.delete(path, as: .ada).status == 404)
            #expect(try await school.post(path + "/secret", as: .ada).status == 404)
            #expect(try await school.get("/v1/service-accounts", as: .ada).items.isEmpty)
            let revoked = try await school.get("/v1/service-accounts?revoked=true", as: .ada)
            #expect(revoked.items.map { $0["id"]?.text } == [account.id])
            #expect(revoked.items.first?["revokedAt"]?.text != nil)
        }
    }

    @Test func `a token never outlives its account`() async throws {
        try await withSchool { school in
            let soon = Timestamp(milliseconds: Clock.system.now.milliseconds + 600_000)
            let made = try await school.post(
                "/v1/service-accounts", as: .ada,
                json: [
                    "name": "For ten minutes", "role": "provisioner",
                    "expiresAt": .text(soon.description),
                ])
            let account = MadeAccount(
                id: made.json["clientId"]?.text ?? "",
                secret: made.json["clientSecret"]?.text ?? "")
            let answer = try await school.askForToken(headers: [account.basic])
            #expect((1...600).contains(answer.json["expires_in"]?.int64 ?? 0))
            try school.sql(
                "update school.service_account set expires_at = now() - interval '1 second'")
            #expect(try await school.askForToken(headers: [account.basic]).status == 401)
        }
    }

    @Test func `an account ends in the future`() async throws {
        try await withSchool { school in
            school.time.stop()
            func make(_ role: String, endingIn milliseconds: Int64) async throws -> Answer {
                let end = Timestamp(milliseconds: school.time.now.milliseconds + milliseconds)
                return try await school.post(
                    "/v1/service-accounts", as: .ada,
                    json: [
                        "name": "Sync", "role": .text(role), "expiresAt": .text(end.description),
                    ])
            }
            let over = try await make("provisioner", endingIn: 0)
            #expect(over.status == 422 && over.pointers == ["/expiresAt"])
            #expect(try await make("provisioner", endingIn: 1).status == 201)
        }
    }

    @Test func `an idempotency key belongs to its account`() async throws {
        try await withSchool { school in
            let one = try await school.token(of: school.makeServiceAccount())
            let account = try await school.makeServiceAccount()
            let two = try await school.token(of: account)
            let twoAgain = try await school.token(of: account)
            func add(_ token: String) async throws -> Answer {
                let body: JSONValue = ["name": "Annex"]
                return try await school.send(
                    "POST", "/v1/locations", token: token, body: body.bytes,
                    headers: [("Idempotency-Key", "annex")])
            }
            let first = try await add(one)
            let second = try await add(two)
            #expect(first.json["id"] != second.json["id"])
            #expect(second.header("idempotency-replayed") == nil)
            let replayed = try await add(twoAgain)
            #expect(replayed.header("idempotency-replayed") == "true")
            #expect(replayed.json["id"] == second.json["id"])
        }
    }

    @Test func `audit events name the account`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let token = try await school.token(of: account)
            _ = try await school.askForToken(
                headers: [MadeAccount(id: account.id, secret: "wrong").basic])
            #expect(try await school.send("GET", "/v1/audit-events", token: token).status == 403)
            _ = try await school.delete("/v1/service-accounts/\(account.id)", as: .ada)

            let events = try await school.get("/v1/audit-events", as: .ada).items.reversed()
            let recorded = events.map { event in
                let actor = event["serviceAccountId"]?.text ?? event["personId"]?.text ?? ""
                let subject = event["subjectId"]?.text ?? ""
                return [event["kind"]?.text ?? "", actor, subject]
            }
            let ada = school.id(.ada).uuid.description
            #expect(
                recorded == [
                    ["serviceAccountChange", ada, account.id],
                    ["signIn", account.id, account.id], ["signInFailure", "", account.id],
                    ["denial", account.id, ""], ["serviceAccountChange", ada, account.id],
                ])
            let own = try await school.get(
                "/v1/audit-events?serviceAccountId=\(account.id)", as: .ada)
            #expect(own.items.map { $0["kind"] } == ["denial", "signIn"])
            let none = try await school.get(
                "/v1/audit-events?serviceAccountId=\(school.id(.ada).uuid)", as: .ada)
            #expect(none.items.isEmpty)
        }
    }
}
