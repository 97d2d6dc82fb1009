import HTTPWire
import Images
import JSONBytes
import PictureKit
import Postgres
import School
import TestKit
import Testing
import WaitKit

/// Pictures that an app gives to the contexts it saved.
@Suite struct NativeThumbnails {
    private func target(_ path: String...) -> String {
        let text = path.map { "%22\($0)%22" }.joined(separator: ",")
        return "/v1/me/contexts/thumbnail?path=%5B\(text)%5D"
    }

    private func save(
        _ paths: [[String]], _ school: TestSchool, as app: Persona = .tomsApp
    ) async throws {
        let contexts = paths.map { path -> JSONValue in
            [
                "identifierPath": .array(path.map(JSONValue.text)), "type": "quiz",
                "title": .text(path.joined(separator: "/")),
            ]
        }
        let answer = try await school.post(
            "/v1/me/contexts", as: app, json: ["contexts": .array(contexts)])
        #expect(answer.status == 202)
    }

    @discardableResult
    private func put(
        _ target: String, _ bytes: [UInt8], _ school: TestSchool, type: String = "image/png",
        as app: Persona = .tomsApp
    ) async throws -> Answer {
        try await school.send(
            "PUT", target, as: app, body: bytes, headers: [("Content-Type", type)])
    }

    /// Waits until the worker has read everything.
    private func settle(_ school: TestSchool) async throws {
        try await eventually {
            try school.sql("select from school.native_thumbnail where sent_bytes is not null")
                .isEmpty
        }
    }

    @Test func `a picture that is sent or removed twice with a key takes effect once`() async throws
    {
        try await withSchool { school in
            try await save([["a"]], school)
            // Larger than what is kept of most bodies: the whole of it belongs to the key.
            let tail = [UInt8](repeating: 7, count: 1 << 20)
            let picture = try Picture.gradient(660, 330, .png) + tail
            func put(_ bytes: [UInt8], _ key: String) async throws -> Answer {
                try await school.send(
                    "PUT", target("a"), as: .tomsApp, body: bytes,
                    headers: [("Content-Type", "image/png"), ("Idempotency-Key", key)])
            }
            func remove(_ key: String) async throws -> Answer {
                try await school.delete(
                    target("a"), as: .tomsApp, headers: [("Idempotency-Key", key)])
            }
            let first = try await put(picture, "1")
            #expect(first.status == 202 && first.header("idempotency-replayed") == nil)
            #expect(try await remove("2").status == 204)
            // Both arrive once more, late.
            let again = try await put(picture, "1")
            #expect(again.status == 202 && again.header("idempotency-replayed") == "true")
            #expect(try school.sql("select from school.native_thumbnail").isEmpty, "still removed")
            var other = picture
            other[other.count - 1] ^= 1
            let reused = try await put(other, "1")
            #expect(reused.status == 422 && reused.code == "idempotency_key_reused")

            #expect(try await put(picture, "3").status == 202)
            let late = try await remove("2")
            #expect(late.status == 204 && late.header("idempotency-replayed") == "true")
            #expect(try school.sql("select from school.native_thumbnail").count == 1)
        }
    }

    @Test func `a picture is read in the background and shown to the app`() async throws {
        try await withSchool { school in
            try await save([["a"]], school)
            let sent = try await put(target("a"), try Picture.gradient(660, 330, .png), school)
            #expect(sent.status == 202 && sent.text == "{}")
            try await settle(school)
            let read = try await school.get(target("a"), as: .tomsApp)
            #expect(read.status == 200 && read.header("content-type") == "image/png")
            #expect(ImageHeader(read.body)?.width == 330)
            let tag = try #require(read.header("etag"))
            let again = try await school.get(
                target("a"), as: .tomsApp, headers: [("If-None-Match", tag)])
            #expect(again.status == 304)
            let found = try await school.get("/v1/me/contexts?path=%5B%22a%22%5D", as: .tomsApp)
            #expect(found.items.map { $0["hasThumbnail"]?.bool } == [false, true])

            try await put(
                target("a"), try Picture.gradient(100, 100, .jpeg), school, type: "image/jpeg")
            try await settle(school)
            let replaced = try await school.get(target("a"), as: .tomsApp)
            #expect(replaced.header("content-type") == "image/jpeg")

            for _ in 0..<2 {
                #expect(try await school.delete(target("a"), as: .tomsApp).status == 204)
            }
            #expect(try await school.get(target("a"), as: .tomsApp).status == 404)
            let after = try await school.get("/v1/me/contexts?path=%5B%22a%22%5D", as: .tomsApp)
            #expect(after.items.map { $0["hasThumbnail"]?.bool } == [false, false])
        }
    }

    @Test func `who may see the context sees its picture, and no one else`() async throws {
        try await withSchool { school in
            try await save([["a"], ["kept"]], school)
            for path in ["a", "kept"] {
                try await put(target(path), try Picture.gradient(100, 100, .png), school)
            }
            try await settle(school)
            let children = "/v1/catalog/apps/\(TestIDs.quizzler)/contexts"
            let browsed = try await school.get(children, as: .tom)
            let pictures = try browsed.items.map { try #require($0["thumbnail"]?.text) }
            #expect(pictures.count == 2)
            for picture in pictures {
                #expect(try await school.get(picture, as: .tom).status == 200)
                for persona in [Persona.cora, .sam, .tess, .ada, .otto] {
                    #expect(
                        try await school.get(picture, as: persona).status == 404, "\(persona)")
                }
            }
            #expect(try await school.get(target("a"), as: .samsApp).status == 404)

            _ = try school.newHandout(path: ["a"], to: [.sam])
            try school.sql("update school.task set context_owner_id = \(Persona.tom.personID)")
            let assigned = try await school.get("/v1/me/assignments", as: .sam).items
            #expect(assigned.map { $0["target"]?["thumbnail"]?.text } == [pictures[0]])
            for persona in [Persona.cora, .sam] {
                #expect(try await school.get(pictures[0], as: persona).status == 200)
                #expect(try await school.get(pictures[1], as: persona).status == 404)
            }
            for persona in [Persona.sue, .ben, .tess, .ada, .otto] {
                #expect(try await school.get(pictures[0], as: persona).status == 404, "\(persona)")
            }
            #expect(try await school.get(target("a"), as: .samsApp).status == 200)
            #expect(try await school.get(target("a"), as: .suesApp).status == 404)
        }
    }

    @Test func `the app reads the catalog's picture where it saved nothing itself`() async throws {
        try await withSchool { school in
            var team = Team()
            team.bundleIDs = [TestIDs.quizzler]
            try await school.register(team)
            let posted = try await school.publish(
                [
                    team.context([], "Quizzler"),
                    team.context(["a"], "A", data: [("thumbnailId", "a.png")]),
                ], token: team.token())
            #expect(posted.status == 201)
            let sent = try await school.thumbnail(
                "POST", "a.png", team, body: try Picture.gradient(200, 100, .png))
            _ = try await school.status(at: sent, team)
            for app in [Persona.tomsApp, .samsApp] {
                let read = try await school.get(target("a"), as: app)
                #expect(ImageHeader(read.body)?.width == 200)
            }
            #expect(try await put(target("a"), [], school).status == 422)
            let foreign = try await put(
                target("a"), try Picture.gradient(100, 100, .png), school)
            #expect(foreign.status == 404, "the app did not save it")
            #expect(try await school.delete(target("a"), as: .tomsApp).status == 204)
            #expect(try await school.get(target("a"), as: .tomsApp).status == 200)
        }
    }

    @Test func `what is no picture is refused or dropped, and the one before stays`() async throws {
        try await withSchool { school in
            try await save([["a"]], school)
            let picture = try Picture.gradient(200, 200, .png)
            try await put(target("a"), picture, school)
            try await settle(school)
            let wrong: [(bytes: [UInt8], type: String)] = [
                ([], "image/png"), (Array("GIF89a".utf8), "image/png"), (picture, "image/jpeg"),
            ]
            for (bytes, type) in wrong {
                let answer = try await put(target("a"), bytes, school, type: type)
                #expect(answer.status == 422 && answer.code == "invalid_thumbnail")
            }
            let small = try Picture.gradient(79, 300, .png)
            #expect(try await put(target("a"), small, school).status == 202)
            let truncated = Array(picture[..<(picture.count / 2)])
            #expect(try await put(target("a"), truncated, school).status == 202)
            try await settle(school)
            let read = try await school.get(target("a"), as: .tomsApp)
            #expect(ImageHeader(read.body)?.width == 200)

            try await save([["b"]], school)
            #expect(try await put(target("b"), truncated, school).status == 202)
            try await settle(school)
            #expect(try await school.get(target("b"), as: .tomsApp).status == 404)
            #expect(try school.sql("select from school.native_thumbnail").count == 1)
            #expect(try await put(target("none"), picture, school).status == 404)
            #expect(try await put(target("none"), small, school).status == 404)
        }
    }

    @Test func `a picture goes with its context`() async throws {
        try await withSchool { school in
            try await save([["a"], ["a", "b"], ["given"]], school)
            for target in [target("a"), target("a", "b"), target("given")] {
                try await put(target, try Picture.gradient(100, 100, .png), school)
            }
            try await settle(school)
            _ = try school.newHandout(path: ["given"])
            try school.sql("update school.task set context_owner_id = \(Persona.tom.personID)")
            for path in ["a", "given"] {
                let gone = try await school.delete(
                    "/v1/me/contexts?path=%5B%22\(path)%22%5D", as: .tomsApp)
                #expect(gone.status == 204)
            }
            #expect(try school.sql("select from school.native_thumbnail").isEmpty)
            try await save([["given"]], school)
            #expect(try await school.get(target("given"), as: .tomsApp).status == 404)
        }
    }

    @Test func `at most 500 contexts have one, and 20 wait`() async throws {
        try await withSchool { school in
            try await save([["a"], ["b"]], school)
            let picture = try Picture.gradient(100, 100, .png)
            try school.sql(
                """
                with made as (
                    insert into school.context (organization_id, context_id, kind, person_id, environment,
                                                bundle_id, identifier_path, locale, title, type)
                    select \(school.hillside), gen_random_uuid(), 'native', \(Persona.tom.personID), 'production',
                           \(TestIDs.quizzler), array['filled', 'n' || n], 'und', 'Filled', 'quiz'
                      from generate_series(1, 499) as n returning organization_id, context_id)
                insert into school.native_thumbnail (organization_id, context_id, media_type, bytes)
                select organization_id, context_id, 'image/png', 'PNG' from made
                """)
            #expect(try await put(target("a"), picture, school).status == 202)
            let full = try await put(target("b"), picture, school)
            #expect(full.status == 409 && full.code == "too_many_thumbnails")
            #expect(try await put(target("a"), picture, school).status == 202)
            try await settle(school)

            // The worker passes over the person, as if another one read their pictures.
            let reader = try BlockingConnection(school.ownerURL)
            try reader.query(
                """
                select pg_advisory_lock(hashtextextended(
                    concat('contexts ', \(school.hillside), \(school.id(.tom))), 0))
                """)
            try school.sql(
                """
                update school.native_thumbnail set sent_bytes = 'PNG' where context_id in (
                    select context_id from school.native_thumbnail where bytes = 'PNG' limit 20)
                """)
            try school.sql("delete from school.native_thumbnail where sent_bytes is null")
            let waiting = try school.sql(
                "select from school.native_thumbnail where sent_bytes is not null")
            #expect(waiting.count == 20)
            let busy = try await put(target("b"), picture, school)
            #expect(busy.status == 429 && busy.header("Retry-After") == "1")
        }
    }

    @Test func `a picture that comes while the person saves something is read afterwards`()
        async throws
    {
        try await withSchool { school in
            try await save([["a"]], school)
            let saving = try BlockingConnection(school.ownerURL)
            try saving.execute("begin")
            try saving.query(
                "select school.lock_contexts(\(school.hillside), \(school.id(.tom)))")
            let picture = try Picture.gradient(330, 330, .png)
            #expect(try await put(target("a"), picture, school).status == 202)
            // The worker has looked, and found that it must look again.
            try await eventually {
                try !school.sql(
                    """
                    select from pg_stat_activity
                     where datname = current_database() and pid <> pg_backend_pid()
                       and query ~ 'has_waiting_thumbnails'
                    """
                ).isEmpty
            }
            try saving.execute("commit")
            try await settle(school)
            #expect(try await school.get(target("a"), as: .tomsApp).status == 200)
        }
    }
}
