import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// A publication is taken back until the first sign of a student.
@Suite struct TakeBack {
    private static let back: JSONValue = ["publishAt": nil]

    @Test func `its author makes a published handout a draft again, and nobody else sees it`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout())
            _ = try await school.put(path + "/lock", as: .tom)
            #expect(try await school.get("/v1/me/assignments", as: .sam).items.count == 2)
            #expect(try await school.get(path, as: .cora).status == 200)
            let taken = try await school.delete(path + "/publication", as: .tom)
            #expect(taken.status == 200 && taken.json["state"] == "draft")
            let repeated = try await school.delete(path + "/publication", as: .tom)
            #expect(repeated.header("etag") == taken.header("etag"))
            #expect(taken.json["publishAt"]?.isNull == true)
            #expect(taken.json["lockedAt"]?.isNull == true)
            #expect(try await school.get("/v1/me/assignments", as: .sam).items.isEmpty)
            #expect(try await school.get(path, as: .cora).status == 404, "a draft is Tom's alone")
            let again = try await school.put(path + "/publication", as: .tom)
            #expect(again.json["state"] == "published")
            #expect(try await school.get("/v1/me/assignments", as: .sam).items.count == 2)
        }
    }

    @Test func `a colleague does not make it a draft`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout())
            let answer = try await school.patch(path, as: .cora, json: Self.back)
            #expect(answer.status == 403)
            #expect(try await school.delete(path + "/publication", as: .cora).status == 403)
            #expect(try await school.get(path, as: .tom).json["state"] == "published")
            let stranger = try await school.patch(path, as: .tess, json: Self.back)
            #expect(stranger.status == 404, "she teaches another class")
        }
    }

    @Test(arguments: ["opened", "done"])
    func `once a student has begun it, it stays`(sign: String) async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let path = school.path(handout)
            let task = try #require(handout["tasks"]?[1]?["id"]?.text)
            let begun = try await school.put("/v1/assignments/\(task)/\(sign)", as: .sam)
            #expect(begun.status == 200)
            let answer = try await school.patch(path, as: .tom, json: Self.back)
            #expect(answer.status == 409 && answer.code == "already_begun")
            let refused = try await school.delete(path + "/publication", as: .tom)
            #expect(refused.code == "already_begun")
            #expect(try await school.get(path, as: .tom).json["state"] == "published")
            for moment: Statement in ["null", "school.moment() + interval '1 day'"] {
                let error = #expect(throws: PostgresError.self) {
                    try school.sql(
                        "update school.handout set publish_at = \(fragment: moment)",
                        as: school.caller(.tom))
                }
                #expect(error?.sqlState == "23514")
            }
        }
    }

    @Test func `work in an app is a sign as well`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout())
            #expect(try await school.work() > 0)
            let answer = try await school.patch(path, as: .tom, json: Self.back)
            #expect(answer.code == "already_begun")
        }
    }

    @Test func `work that arrives afterwards is dropped`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout())
            let taken = try await school.patch(path, as: .tom, json: Self.back)
            #expect(taken.status == 200)
            #expect(try await school.work() == 0)
        }
    }

    @Test func `a student who waited while it was taken back has begun nothing`() async throws {
        try await withSchool { school in
            let handout = try await school.give([TestSchool.map]).json
            let task = try #require(handout["tasks"]?[0]?["id"]?.text)
            let taking = try BlockingConnection(school.ownerURL)
            try taking.execute("begin")
            try taking.execute("select from school.task for update")
            async let opened = school.put("/v1/assignments/\(task)/opened", as: .sam)
            try await school.untilSomethingWaits()
            try taking.execute("update school.handout set publish_at = null")
            try taking.execute("commit")
            #expect(try await opened.status != 200)
            #expect(try school.sql("select from school.assignment").isEmpty)
        }
    }

    @Test(arguments: ["activities", "completions"])
    func `what an app had sent while it was taken back is dropped`(kind: String) async throws {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout())
            let context: [String] = ["capitals", "europe"]
            let attempt = school.attempt(at: context, from: school.ago(1), to: .some(nil))
            let place: JSONValue = ["identifierPath": .array(context.map(JSONValue.text))]
            let body: JSONValue = kind == "activities" ? ["activities": [attempt]] : place
            let target = kind == "activities" ? "/v1/activities" : "/v1/me/completions"
            let sent = try await school.send(
                .post, target, token: Persona.samsApp.token, body: body.bytes, settling: false)
            #expect(sent.status == 202)

            let taking = try BlockingConnection(school.ownerURL)
            try taking.execute("begin")
            try taking.execute("select from school.task for update")
            let storing = Task.detached { try school.storeNext(of: .sam) }
            try await school.untilSomethingWaits()
            try taking.execute("update school.handout set publish_at = null")
            try taking.execute("commit")
            let error = await #expect(throws: PostgresError.self) { try await storing.value }
            #expect(error?.sqlState == "40001", "the worker tries again")

            try school.storeNext(of: .sam)
            #expect(try school.sql("select from school.upload").isEmpty)
            #expect(try school.sql("select from school.assignment").isEmpty)
            #expect(try school.storedCount() == 0)
            #expect(try await school.put(path + "/publication", as: .tom).status == 200)
        }
    }

    @Test func `receivers of exports remove what was taken back`() async throws {
        try await withSchool { school in
            let handout = try await school.give([TestSchool.map]).json
            let path = school.path(handout)
            let id = handout["id"]?.text.flatMap { UUID($0) }
            let gone: Statement = """
                select from school.deletion
                 where kind = 'handout' and subject_id = \(id) and school.was_exported(subject_id)
                """
            let exporter = Caller(
                organizationID: school.hillside, personID: nil, standings: [.exporter])
            #expect(try school.sql(gone, as: exporter).isEmpty)
            _ = try await school.patch(path, as: .tom, json: Self.back)
            #expect(try school.sql(gone, as: exporter).count == 1)
            _ = try await school.delete(path, as: .tom)
            #expect(try school.sql(gone, as: exporter).count == 2, "also once the draft is deleted")
        }
    }
}

extension TestSchool {
    /// Stores the oldest upload of a persona, as the worker does.
    fileprivate func storeNext(of persona: Persona) throws {
        let connection = try BlockingConnection(ownerURL)
        try connection.transaction {
            let claimed = try connection.query(
                "select upload_id from school.claim_uploads(\(hillside), \(id(persona)), 1)"
            ).map { try $0.uuid("upload_id") }
            try connection.query(
                "select school.store_uploads(\(hillside), \(id(persona)), \(claimed))")
        }
    }
}
