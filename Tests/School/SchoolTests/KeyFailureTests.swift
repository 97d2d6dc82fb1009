import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What the key promises when something goes wrong.
@Suite struct KeyFailures {
    @Test func `a failure in the middle leaves neither the effect nor the key`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                create function school.fail() returns trigger language plpgsql as
                $$ begin raise exception 'no room'; end $$
                """)
            try school.sql(
                """
                create trigger fail before insert on school.person_role
                    for each row execute function school.fail()
                """)
            let person: JSONValue = [
                "givenName": "Nina", "familyName": "Example",
                "roles": [
                    [
                        "role": "teacher",
                        "locationId": .text(school.mainLocation.uuid.description),
                    ]
                ],
            ]
            func add() async throws -> Answer {
                try await school.post(
                    "/v1/people", as: .ada, json: person, headers: [("Idempotency-Key", "nina")])
            }
            #expect(try await add().status == 500)
            let ninas: Statement = "select from school.person where given_name = 'Nina'"
            #expect(try school.sql(ninas).count == 0)
            #expect(try school.keyCount() == 0)

            try school.sql("drop trigger fail on school.person_role")
            let made = try await add()
            #expect(made.status == 201)
            #expect(try await add().body == made.body)
            #expect(try school.sql(ninas).count == 1)
        }
    }

    @Test(arguments: ["serialization_failure", "deadlock_detected"])
    func `a call that PostgreSQL gave up is repeated with the same key`(condition: String)
        async throws
    {
        try await withSchool { school in
            try school.sql("select set_config('test.condition', \(condition), false)")
            try school.sql(
                """
                do $$ begin
                    execute format('create function school.fail() returns trigger language plpgsql as
                                    $body$ begin raise exception using errcode = %L; end $body$',
                                   current_setting('test.condition'));
                end $$
                """)
            try school.sql(
                """
                create trigger fail before insert on school.location
                    for each row execute function school.fail()
                """)
            let refused = try await school.addLocation("North", key: "k")
            #expect(refused.status == 503 && refused.json["code"]?.text == "contended")
            #expect(refused.header("retry-after") != nil)
            #expect(try school.locationCount("North") == 0 && school.keyCount() == 0)
            try school.sql("drop trigger fail on school.location")
            #expect(try await school.addLocation("North", key: "k").status == 201)
            #expect(try await school.addLocation("North", key: "k").status == 201)
            #expect(try school.locationCount("North") == 1)
        }
    }

    @Test func `a key stays in use while another process holds it`() async throws {
        try await withSchool { school in
            let holder = try BlockingConnection(school.ownerURL)
            try holder.execute("begin")
            try holder.query(
                """
                insert into school.idempotency_key (organization_id, caller, route, key, request_digest)
                values (\(school.hillside),
                        concat_ws('/', \(school.id(.ada)), 'administrator', 'production', '', ''),
                        'POST /v1/locations', 'k', sha256(''))
                """)
            let during = try await school.addLocation("North", key: "k")
            #expect(during.status == 409)
            #expect(during.code == "idempotency_key_in_use")
            #expect(during.header("retry-after") == "1")
            try holder.execute("rollback")
            #expect(try await school.addLocation("North", key: "k").status == 201)
            #expect(try school.locationCount("North") == 1)
        }
    }

    @Test func `nothing is replayed to a caller who lost access`() async throws {
        try await withSchool { school in
            let first = try await school.addLocation("North", key: "k", as: .petra)
            #expect(first.status == 201)
            try school.sql(
                "delete from school.person_role where person_id = \(school.id(.petra))")
            #expect(try await school.addLocation("North", key: "k", as: .petra).status == 401)
            #expect(try await school.addLocation("North", key: "k").status == 201)
            try school.sql("update school.access_token set revoked_at = now()")
            #expect(try await school.addLocation("North", key: "k").status == 401)
        }
    }

    @Test func `a denial with a key is audited and keeps nothing`() async throws {
        try await withSchool { school in
            let denied = try await school.addLocation("North", key: "k", as: .tom)
            #expect(denied.status == 403)
            #expect(
                try school.sql("select from school.audit_event where kind = 'denial'").count == 1)
            #expect(try school.keyCount() == 0)
        }
    }
}
