import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Who may make which call, and how a malformed one is answered.
@Suite struct ImportCalls {
    @Test func `directory managers hand in archives, nobody else does`() async throws {
        try await withSchool { school in
            let archive = try TestArchive.small.bytes()
            for persona in [Persona.ada, .petra, .provisioner] {
                let outcome = try await school.importArchive(archive, mode: "preview", as: persona)
                #expect(outcome.status == "planned")
            }
            for persona in [Persona.mara, .tom, .sam, .exporter, .samsApp] {
                let answer = try await school.handIn(archive, as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            #expect(try await school.handIn(archive, as: nil).status == 401)
            #expect(try school.sql("select import_id from school.import").count == 3)
        }
    }

    @Test func `nobody else reads or approves imports`() async throws {
        try await withSchool { school in
            let answer = try await school.handIn(TestArchive.small.bytes(), as: .ada)
            let location = try #require(answer.header("location"))
            #expect(answer.json["id"]?.text.map { "/v1/imports/\($0)" } == location)
            _ = try await school.ended(location)
            for persona in [Persona.mara, .tom, .sam, .exporter, .samsApp] {
                #expect(try await school.get(location, as: persona).status == 403)
                #expect(try await school.get("/v1/imports", as: persona).status == 403)
                #expect(try await school.post("\(location)/approval", as: persona).status == 403)
            }
        }
    }

    @Test func `another organization sees no import and gets nothing from it`() async throws {
        try await withSchool { school in
            let before = try school.sql(
                "select count(*) as n from school.person where organization_id = \(school.elsewhere)"
            )
            let answer = try await school.handIn(TestArchive.small.bytes(), as: .ada)
            let location = try #require(answer.header("location"))
            #expect(try await school.ended(location).status == "succeeded")
            #expect(try await school.get(location, as: .olga).status == 404)
            #expect(try await school.post("\(location)/approval", as: .olga).status == 404)
            #expect(try await school.get("/v1/imports", as: .olga).json["items"] == [])
            let after = try school.sql(
                "select count(*) as n from school.person where organization_id = \(school.elsewhere)"
            )
            #expect(try after[0].int("n") == before[0].int("n"))

            let own = try await school.importArchive(.small, as: .olga)
            #expect(
                own.counts("students.csv") == [11, 0, 0, 0], "the same IDs mean other people there")
            let events = try school.sql(
                """
                select token_id from school.audit_event
                 where kind = 'import' and organization_id = \(school.elsewhere)
                """)
            let token = SHA256.digest(Array(Persona.olga.token.utf8)).description.prefix(16)
            #expect(
                try events.map { try $0.optionalText("token_id") } == [String(token)],
                "the worker names the token that ordered it")
        }
    }

    @Test func `the list is newest first, page by page`() async throws {
        try await withSchool { school in
            var ids: [String] = []
            for _ in 1...3 {
                let answer = try await school.handIn(
                    TestArchive.small.bytes(), mode: "preview", as: .ada)
                ids.append(try #require(answer.json["id"]?.text))
            }
            _ = try await school.ended("/v1/imports/\(ids[2])")
            let first = try await school.get("/v1/imports?limit=2", as: .ada)
            #expect(first.json["items"]?.array?.map { $0["id"]?.text } == [ids[2], ids[1]])
            let token = try #require(first.json["nextPageToken"]?.text)
            let second = try await school.get("/v1/imports?limit=2&pageToken=\(token)", as: .ada)
            #expect(second.json["items"]?.array?.map { $0["id"]?.text } == [ids[0]])
            let list = "/v1/imports?limit=2&order=oldest"
            let oldest = try await school.get(list, as: .ada)
            #expect(oldest.items.map { $0["id"]?.text } == [ids[0], ids[1]])
            let rest = try #require(oldest.json["nextPageToken"]?.text)
            let latest = try await school.get("\(list)&pageToken=\(rest)", as: .ada)
            #expect(latest.items.map { $0["id"]?.text } == [ids[2]])
            let mixed = try await school.get("/v1/imports?limit=2&pageToken=\(rest)", as: .ada)
            #expect(mixed.status == 400, "a page of the other order")
        }
    }

    @Test func `a malformed call is refused before anything is stored`() async throws {
        try await withSchool { school in
            let archive = try TestArchive.small.bytes()
            let zip = [("Content-Type", "application/zip")]
            #expect(
                try await school.send(.post, "/v1/imports", as: .ada, body: archive, headers: zip)
                    .status == 400)
            #expect(try await school.handIn(archive, mode: "try", as: .ada).status == 400)
            #expect(try await school.handIn([], as: .ada).code == "missing_body")
            let csv = try await school.send(
                .post, "/v1/imports?mode=apply", as: .ada, body: archive,
                headers: [("Content-Type", "text/csv")])
            #expect(csv.status == 415)
            #expect(try await school.get("/v1/imports/nobody", as: .ada).status == 404)
            #expect(try school.sql("select import_id from school.import").count == 0)
        }
    }

    @Test func `an import says what it was called and who sent it`() async throws {
        try await withSchool { school in
            let account = try await school.post(
                "/v1/service-accounts", as: .ada, json: ["name": "Records", "role": "provisioner"])
            let accountID = try #require(account.json["id"]?.text)
            let bytes = try TestArchive.small.bytes()
            let answer = try await school.send(
                .post, "/v1/imports?mode=preview&fileName=Schuljahr%2027.zip", as: .petra,
                body: bytes, headers: [("Content-Type", "application/zip")])
            let location = try #require(answer.header("location"))
            let found = try await school.ended(location)
            #expect(found["fileName"] == "Schuljahr 27.zip")
            let petra = try await school.get("/v1/people/\(school.id(.petra).uuid)", as: .ada).json
            let sender: JSONValue = [
                "kind": "person", "id": petra["id"] ?? .null,
                "givenName": petra["givenName"] ?? .null,
                "familyName": petra["familyName"] ?? .null,
                "nameOrder": petra["nameOrder"] ?? .null, "name": .null,
            ]
            #expect(found["sentBy"] == sender)
            let id = try school.store(
                .small, status: "succeeded", attempts: 1,
                account: ServiceAccountID(try #require(UUID(accountID))))
            let scripts = try await school.get("/v1/imports/\(id.uuid)", as: .petra).json
            #expect(
                scripts["sentBy"]
                    == [
                        "kind": "serviceAccount", "id": .text(accountID), "givenName": .null,
                        "familyName": .null, "nameOrder": .null, "name": "Records",
                    ])
            #expect(scripts["fileName"] == .null)
            try school.sql("update school.import set person_id = null")
            let erased = try await school.get(location, as: .ada).json
            #expect(erased["sentBy"] == .null)
            let list = try await school.get("/v1/imports", as: .provisioner)
            #expect(list.items.count == 2)
            let long = String(repeating: "x", count: 257)
            let refused = try await school.send(
                .post, "/v1/imports?mode=preview&fileName=\(long)", as: .petra, body: bytes,
                headers: [("Content-Type", "application/zip")])
            #expect(refused.status == 400)
        }
    }
}
