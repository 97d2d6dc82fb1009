import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// An archive that was handed in before a person was erased does not bring the person back.
@Suite struct ErasureAndImports {
    @Test
    func `imports that wait for approval are cancelled, with the reason and without their archive`()
        async throws
    {
        try await withSchool { school in
            let waiting = try school.leaveImport("awaitingApproval")
            let theirs = try school.leaveImport("awaitingApproval", of: school.elsewhere)
            let answer = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(answer.status == 200, "\(answer.text)")
            let stored = try await school.get("/v1/imports/\(waiting)", as: .ada)
            #expect(stored.json["status"] == "failed")
            #expect(stored.json["errorCount"] == 1)
            #expect(stored.json["errors"]?.array?.map { $0["code"] } == ["person_erased"])
            let approval = try await school.post("/v1/imports/\(waiting)/approval", as: .ada)
            #expect(approval.status == 409)
            let kept = try school.sql("select import_id from school.import_archive")
            #expect(try kept.map { try $0.uuid("import_id") } == [theirs])
        }
    }

    @Test func `a preview keeps its plan, loses its archive and can no longer be applied`()
        async throws
    {
        try await withSchool { school in
            let preview = try school.leaveImport("planned")
            #expect(try await school.post(school.path(.sam, "erasure"), as: .ada).status == 200)
            #expect(try school.sql("select from school.import_archive").isEmpty)
            let kept = try await school.get("/v1/imports/\(preview)", as: .ada)
            #expect(kept.json["status"] == "planned")
            let approval = try await school.post("/v1/imports/\(preview)/approval", as: .ada)
            #expect(approval.status == 409)
            #expect(approval.code == "archive_gone")
        }
    }

    @Test func `a person's number, address and ids are removed from records of imports`()
        async throws
    {
        try await withSchool { school in
            let done = try school.leaveImport("succeeded")
            try school.sql(
                """
                update school.person set person_number = 'N-4711', email = 'sam@mail.example'
                 where person_id = \(school.id(.sam))
                """)
            try school.sql(
                """
                insert into school.import_problem (organization_id, import_id, position, code, detail)
                select \(school.hillside), \(done), position, 'duplicate', detail
                  from unnest(array['The number "N-4711" stands twice.', '"sis-sam" is known.',
                                    '"sam@hillside.example" is taken.', 'No mail: "sam@mail.example".',
                                    'The number "N-47110" stands twice.', '"sis-sue" is known.'])
                       with ordinality as p (detail, position)
                """)
            let answer = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["counts"]?["import_problem"] == 4)
            let left = try school.sql("select detail from school.import_problem order by position")
            #expect(
                try left.map { try $0.text("detail") } == [
                    "The number \"N-47110\" stands twice.", "\"sis-sue\" is known.",
                ])
        }
    }

    /// Reports show the first 80 characters of a name and a sign for the rest.
    @Test(arguments: [80, 81, 200]) func `an id that a report shortened is found too`(
        length: Int
    ) async throws {
        try await withSchool { school in
            let done = try school.leaveImport("succeeded")
            let long = String(repeating: "é", count: length)
            try school.sql(
                "update school.person set source_id = \(long) where person_id = \(school.id(.sam))")
            let shown = length > 80 ? String(long.prefix(80)) + "…" : long
            let sentences = ["\"\(shown)\" is known.", "\"\(long.prefix(79))\" is known."]
            for (position, sentence) in sentences.enumerated() {
                try school.sql(
                    """
                    insert into school.import_problem (organization_id, import_id, position, code, detail)
                    values (\(school.hillside), \(done), \(position), 'duplicate', \(sentence))
                    """)
            }
            #expect(try await school.post(school.path(.sam, "erasure"), as: .ada).status == 200)
            let left = try school.sql("select detail from school.import_problem")
            #expect(try left.map { try $0.text("detail") } == [sentences[1]])
        }
    }

    @Test(arguments: [("sis-sam", true), ("sis-sue", false)])
    func `why a pull failed no longer names someone who was erased`(
        id: String, isForgotten: Bool
    ) async throws {
        try await withSchool { school in
            let reason = "givenName of \"\(id)\" in users is not a text."
            try school.sql(
                """
                insert into school.roster_source (organization_id, url, token_url, client_id, sealed_secret, key_id,
                                                  failure, failure_detail)
                values (\(school.hillside), 'https://sis.example/v1p2', 'https://sis.example/token', 'c',
                        decode(repeat('00', 29), 'hex'), 'key', 'unexpected_answer', \(reason))
                """)
            #expect(try await school.post(school.path(.sam, "erasure"), as: .ada).status == 200)
            let source = try await school.get("/v1/roster-source", as: .ada)
            #expect(source.json["failure"]?["code"] == "unexpected_answer")
            let left = try #require(source.json["failure"]?["text"]?.text)
            #expect(!left.isEmpty && (left != reason) == isForgotten)
        }
    }

    @Test(arguments: ["queued", "running"])
    func `nobody is erased while imports are in progress`(status: String) async throws {
        try await withSchool { school in
            let waiting = try school.leaveImport("awaitingApproval")
            let ahead = try school.leaveImport(status)
            let refused = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(refused.status == 409)
            #expect(refused.code == "imports_under_way")
            #expect(try await school.get("/v1/people/source:sis-sam", as: .ada).status == 200)
            let stored = try await school.get("/v1/imports/\(waiting)", as: .ada)
            #expect(stored.json["status"] == "awaitingApproval", "nothing happened to it")
            try school.sql(
                "update school.import set status = 'succeeded' where import_id = \(ahead)")
            let erased = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(erased.status == 200)
        }
    }
}

extension TestSchool {
    /// An import with an archive, which no worker knows of.
    fileprivate func leaveImport(
        _ status: String, of organization: OrganizationID? = nil
    ) throws -> UUID {
        let organization = organization ?? hillside
        let made = try sql(
            """
            insert into school.import (organization_id, import_id, mode, status, standing, archive_bytes)
            values (\(organization), gen_random_uuid(), 'apply', \(status), 'administrator', 1)
            returning import_id
            """)
        let id = try made[0].uuid("import_id")
        try sql(
            """
            insert into school.import_archive (organization_id, import_id, position, bytes)
            values (\(organization), \(id), 0, '')
            """)
        return id
    }
}
