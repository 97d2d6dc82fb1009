import Postgres
import School
import TestKit
import Testing

/// What the server removes because nobody can ask for it any more.
@Suite struct UpkeepOfRows {
    @Test func `outdated rows are removed, and nothing else`() async throws {
        try await withPopulatedSchool { populated in
            let school = populated.school
            try school.sql(
                """
                update school.idempotency_key set expires_at = now() - interval '1 second'
                 where key in ('of tom', 'of otto')
                """)
            try school.sql(
                """
                update school.upload_receipt set arrived_at = now() - interval '25 hours'
                 where receipt_id = test.id('receipt')
                """)
            try school.sql(
                """
                update school.statement_receipt set arrived_at = now() - interval '32 days'
                 where organization_id = test.id('Hillside')
                """)
            try school.sql(
                """
                update school.refresh_token set expires_at = now() - interval '31 days'
                 where session_id = test.id('session')
                """)
            try school.sql(
                """
                update school.access_token set expires_at = now() - interval '31 days'
                 where person_id = test.id('sue')
                """)
            try school.sql(
                """
                update school.access_token set expires_at = now() - interval '29 days'
                 where person_id = test.id('ben')
                """)
            try school.sql(
                """
                update school.sign_in_device set expires_at = now() - interval '1 second'
                 where person_id = test.id('sam')
                """)
            let tokens = try school.sql("select from school.access_token").count
            #expect(try removeOutdated(school) == false)

            let keys = try populated.labels("select key as label from school.idempotency_key")
            #expect(keys.count == 5 && keys.isDisjoint(with: ["of tom", "of otto"]))
            let receipts = try populated.labels(
                "select test.called(receipt_id) as label from school.upload_receipt")
            #expect(receipts == ["receipt elsewhere"])
            let statements = try school.sql(
                "select from school.statement_receipt where organization_id = test.id('Elsewhere')")
            #expect(statements.count == 1)
            #expect(try school.sql("select from school.statement_receipt").count == 1)
            let signIns = try populated.labels(
                "select test.called(session_id) as label from school.session")
            #expect(signIns == ["session elsewhere"])
            let devices = try populated.labels(
                "select test.called(person_id) as label from school.sign_in_device")
            #expect(devices == ["omar"])
            #expect(try school.sql("select from school.refresh_token").count == 1)
            #expect(try school.sql("select from school.access_token").count == tokens - 2)
        }
    }

    @Test func `a session stays as long as one of its tokens`() async throws {
        try await withPopulatedSchool { populated in
            let school = populated.school
            try school.sql(
                "update school.refresh_token set expires_at = now() - interval '31 days'")
            try school.sql(
                """
                insert into school.refresh_token (organization_id, digest, session_id, expires_at)
                values (test.id('Hillside'), sha256('newer'), test.id('session'), now())
                """)
            #expect(try removeOutdated(school) == false)
            let signIns = try populated.labels(
                "select test.called(session_id) as label from school.session")
            #expect(signIns == ["session"])
        }
    }

    @Test func `a batch is bounded, and skips what others have begun`() async throws {
        try await withPopulatedSchool { populated in
            let school = populated.school
            try school.sql(
                "update school.idempotency_key set expires_at = now() - interval '1 second'")
            #expect(try removeOutdated(school, limit: 2))
            let left: Statement = "select key as label from school.idempotency_key"
            #expect(try populated.labels(left).count == 5)

            let other = try BlockingConnection(school.ownerURL)
            try other.execute("begin")
            let begun = try other.query(
                "select key as label from school.idempotency_key limit 1 for update")[0].text(
                    "label")
            #expect(try removeOutdated(school) == false)
            #expect(try populated.labels(left) == [begun])
            try other.execute("rollback")
            #expect(try removeOutdated(school) == false)
            #expect(try populated.labels(left).isEmpty)
        }
    }

    @Test func `a key is forgotten a day after another one signs`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.signing_key
                       (key_id, purpose, private_key, public_key, created_at, signs_from)
                select repeat(k, 43), purpose, 'private', '{}', now() - '91 days'::interval,
                       now() - since::interval
                  from (values ('a', 'idTokens', '99 days'), ('b', 'idTokens', '26 hours'),
                               ('c', 'idTokens', '23 hours'), ('d', 'idTokens', '-1 hour'),
                               ('e', 'toolMessages', '99 days'), ('f', 'toolMessages', '1 hour'))
                       as t (k, purpose, since)
                """)
            func published() throws -> [String] {
                try school.sql(
                    "select left(key_id, 1) as id from school.published_signing_keys('idTokens')"
                ).map { try $0.text("id") }
            }
            #expect(try published() == ["d", "c", "b"], "systems verify with these")
            #expect(try removeOutdated(school) == false)
            let left = try school.sql("select left(key_id, 1) as id from school.signing_key")
            #expect(try Set(left.map { try $0.text("id") }) == ["b", "c", "d", "e", "f"])
            let signing = try school.sql(
                "select left(key_id, 1) as id, is_due from school.current_signing_key('idTokens')")
            #expect(try signing[0].text("id") == "c" && signing[0].bool("is_due"))
        }
    }

    @Test func `only the server may remove`() async throws {
        try await withPopulatedSchool { populated in
            for standing in Standing.allCases {
                let outcome = try populated.attempt(
                    "select school.remove_outdated()", as: populated.caller(standing))
                #expect(outcome == .refused, "\(standing)")
            }
        }
    }

    /// As the server's login; returns whether there may be more.
    private func removeOutdated(_ school: TestSchool, limit: Int = 1000) throws -> Bool {
        try school.letClockProveRight()
        let connection = try BlockingConnection(school.ownerURL)
        return try connection.query(
            "select school.remove_outdated(\(limit)::integer) as is_more",
            as: Identity(role: "school_server"))[0].bool("is_more")
    }
}
