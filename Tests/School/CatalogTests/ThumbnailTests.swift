import HTTPWire
import Images
import JSONBytes
import PictureKit
import Postgres
import School
import TestKit
import Testing
import WaitKit

@Suite struct Thumbnails {
    let team = Team()

    private func publish(_ school: TestSchool, thumbnail: String = "ratios.png") async throws {
        try await school.register(team)
        let posted = try await school.publish(
            [
                team.context([], "River Maths"),
                team.context(["check"], "Check", data: [("thumbnailId", .text(thumbnail))]),
                team.context(["other"], "Other", data: [("thumbnailId", .text(thumbnail))]),
            ], token: team.token())
        #expect(posted.status == 201)
    }

    @Test func `a picture is read in the background and shown to everyone who sees the context`()
        async throws
    {
        try await withSchool { school in
            try await publish(school)
            let sent = try await school.thumbnail(
                "POST", "ratios.png", team, body: try Picture.gradient(660, 660, .png))
            #expect(sent.status == 202)
            let status = try await school.status(at: sent, team)
            #expect(status.json["state"] == "complete")
            #expect(status.json["statusCode"] == "201")
            #expect(status.json["teamId"]?.text == team.id)
            #expect(status.json["location"]?.text == sent.header("location"))
            #expect(status.json["error"] == nil)

            let read = try await school.thumbnail("GET", "ratios.png", team)
            #expect(read.status == 200)
            #expect(read.header("content-type") == "image/png")
            #expect(ImageHeader(read.body)?.width == 330)

            let children = try await school.get(
                "/v1/catalog/apps/org.example.rivermaths/contexts", as: .tom)
            let shown = try #require(children.items[0]["thumbnail"]?.text)
            let picture = try await school.get(shown, as: .tom)
            #expect(picture.status == 200 && picture.body == read.body)
            let tag = try #require(picture.header("etag"))
            let again = try await school.get(shown, as: .tom, headers: [("If-None-Match", tag)])
            #expect(again.status == 304)
            #expect(try await school.get(shown, as: .otto).status == 404)
            #expect(try await school.get(shown, as: .sam).status == 404, "nothing assigns it")
            _ = try school.newHandout(path: ["check"], bundle: "org.example.rivermaths")
            #expect(try await school.get(shown, as: .sam).status == 200)
            let assigned = try await school.get("/v1/me/assignments", as: .sam).items
            #expect(assigned.map { $0["target"]?["thumbnail"]?.text } == [shown])
            #expect(try await school.get(shown, as: .ben).status == 404)
            let root = try await school.get("/v1/catalog/apps", as: .tom)
            #expect(root.items[0]["thumbnail"]?.isNull == true)
        }
    }

    @Test func `a picture that no context names is refused`() async throws {
        try await withSchool { school in
            try await publish(school)
            let picture = try Picture.gradient(100, 100, .png)
            for size in [100, 40] {
                let answer = try await school.thumbnail(
                    "POST", "old.png", team, body: try Picture.gradient(size, size, .png))
                #expect(answer.status == 400)
                #expect(answer.code == "THUMBNAIL_NOT_REFERENCED")
            }
            let elsewhere = try await school.thumbnail(
                "POST", "ratios.png", team, environment: "development", body: picture)
            #expect(elsewhere.code == "THUMBNAIL_NOT_REFERENCED")
        }
    }

    @Test func `a picture that is too small is ignored, and one of 80 pixels is not`() async throws
    {
        try await withSchool { school in
            try await publish(school)
            for (width, height) in [(79, 79), (79, 300), (300, 79)] {
                let answer = try await school.thumbnail(
                    "POST", "ratios.png", team, body: try Picture.gradient(width, height, .png))
                #expect(answer.status == 201)
            }
            let none = try await school.thumbnail("GET", "ratios.png", team)
            #expect(none.status == 400)
            #expect(none.code == "THUMBNAIL_NOT_FOUND")
            let sent = try await school.thumbnail(
                "POST", "ratios.png", team, type: "image/jpeg",
                body: try Picture.gradient(80, 80, .jpeg))
            #expect(try await school.status(at: sent, team).json["state"] == "complete")
            let read = try await school.thumbnail("GET", "ratios.png", team)
            #expect(read.header("content-type") == "image/jpeg")
        }
    }

    @Test func `anything but a picture is refused, at once or in its status`() async throws {
        try await withSchool { school in
            try await publish(school)
            let picture = try Picture.gradient(200, 200, .png)
            var huge = picture
            huge.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
            let refused: [(type: String, bytes: [UInt8])] = [
                ("image/png", []), ("image/png", Array("GIF89a".utf8)), ("image/jpeg", picture),
                ("image/png", huge), ("text/plain", picture),
            ]
            for (type, bytes) in refused {
                let answer = try await school.thumbnail(
                    "POST", "ratios.png", team, type: type, body: bytes)
                #expect(answer.status == 400)
                #expect(answer.code == "INVALID_THUMBNAIL")
            }
            let truncated = try await school.thumbnail(
                "POST", "ratios.png", team, body: Array(picture[..<(picture.count / 2)]))
            let status = try await school.status(at: truncated, team)
            #expect(status.json["state"] == "error")
            #expect(status.json["statusCode"] == "400")
            #expect(status.json["error"]?["code"] == "INVALID_THUMBNAIL")
            #expect(status.json["error"]?["id"] == status.json["statusId"])
            let after = try await school.thumbnail("GET", "ratios.png", team)
            #expect(after.code == "THUMBNAIL_NOT_FOUND")
        }
    }

    @Test func `a picture is removed with the last context that names it`() async throws {
        try await withSchool { school in
            try await publish(school)
            let sent = try await school.thumbnail(
                "POST", "ratios.png", team, body: try Picture.gradient(100, 100, .png))
            _ = try await school.status(at: sent, team)
            let gone = try await school.context(
                [team.bundleIDs[0], "check"], token: team.token(), method: "DELETE")
            #expect(gone.status == 204)
            #expect(try await school.thumbnail("GET", "ratios.png", team).status == 200)
            let changed = try await school.publish(
                [team.context(["other"], "Other", data: [("thumbnailId", "new.png")])],
                token: team.token())
            #expect(changed.status == 201)
            let after = try await school.thumbnail("GET", "ratios.png", team)
            #expect(after.code == "THUMBNAIL_NOT_FOUND")
            #expect(try school.sql("select from school.thumbnail").isEmpty)
        }
    }

    @Test func `a picture is removed by name, once`() async throws {
        try await withSchool { school in
            try await publish(school)
            let sent = try await school.thumbnail(
                "POST", "ratios.png", team, body: try Picture.gradient(100, 100, .png))
            _ = try await school.status(at: sent, team)
            #expect(try await school.thumbnail("DELETE", "ratios.png", team).status == 204)
            let again = try await school.thumbnail("DELETE", "ratios.png", team)
            #expect(again.status == 400)
            #expect(again.code == "THUMBNAIL_NOT_FOUND")
        }
    }

    @Test func `a dead server's pictures are read with the next one`() async throws {
        try await withSchool { school in
            try await publish(school)
            let picture = try Picture.gradient(100, 100, .png)
            try school.sql(
                """
                insert into school.thumbnail_upload (organization_id, status_id, team_id, environment,
                                                     thumbnail_id, bytes, created_at)
                values (\(school.hillside), 'LEFT', \(team.id), 'production', 'ratios.png', \(picture),
                        now() - interval '1 hour')
                """)
            let waiting = try await school.thumbnail("GET", "ratios.png", team)
            #expect(waiting.status == 202)
            #expect(waiting.header("location") == "/v1/status/LEFT")
            let sent = try await school.thumbnail(
                "POST", "ratios.png", team, body: try Picture.gradient(200, 200, .png))
            #expect(try await school.status(at: sent, team).json["state"] == "complete")
            #expect(try await school.status(at: waiting, team).json["state"] == "complete")
            let read = try await school.thumbnail("GET", "ratios.png", team)
            #expect(ImageHeader(read.body)?.width == 200, "the later one stays")
        }
    }

    @Test func `a picture whose last context is removed before reading is not kept`() async throws {
        try await withSchool { school in
            try await publish(school)
            let picture = try Picture.gradient(100, 100, .png)
            try school.sql(
                """
                insert into school.thumbnail_upload (organization_id, status_id, team_id, environment,
                                                     thumbnail_id, bytes, created_at)
                values (\(school.hillside), 'LATE', \(team.id), 'production', 'ratios.png', \(picture),
                        now() - interval '1 minute')
                """)
            let changed = try await school.publish(
                ["check", "other"].map {
                    team.context([$0], "New", data: [("thumbnailId", "new.png")])
                }, token: team.token())
            #expect(changed.status == 201)
            let sent = try await school.thumbnail("POST", "new.png", team, body: picture)
            #expect(try await school.status(at: sent, team).json["state"] == "complete")
            let late = try await school.send(.get, "/v1/status/LATE", token: team.token())
            #expect(late.json["state"] == "error")
            #expect(late.json["error"]?["code"] == "THUMBNAIL_NOT_REFERENCED")
            let kept = try school.sql("select thumbnail_id from school.thumbnail")
            #expect(try kept.map { try $0.text("thumbnail_id") } == ["new.png"])
        }
    }

    @Test func `a waiting picture is removed with the others`() async throws {
        try await withSchool { school in
            try await publish(school)
            try school.sql(
                """
                insert into school.thumbnail_upload (organization_id, status_id, team_id, environment,
                                                     thumbnail_id, bytes)
                values (\(school.hillside), 'WAITS', \(team.id), 'production', 'ratios.png', 'PNG')
                """)
            #expect(try await school.thumbnail("DELETE", "ratios.png", team).status == 204)
            let status = try await school.send(.get, "/v1/status/WAITS", token: team.token())
            #expect(status.json["error"]?["code"] == "THUMBNAIL_REMOVED")
        }
    }

    @Test func `strangers have no access to a picture`() async throws {
        try await withSchool { school in
            try await publish(school)
            let sent = try await school.thumbnail(
                "POST", "ratios.png", team, body: try Picture.gradient(100, 100, .png))
            _ = try await school.status(at: sent, team)
            var other = Team(id: "OTHERTEAM1")
            other.bundleIDs = ["org.example.other"]
            try await school.register(other)
            let read = try await school.thumbnail("GET", "ratios.png", other)
            #expect(read.code == "THUMBNAIL_NOT_FOUND")
            let removed = try await school.thumbnail("DELETE", "ratios.png", other)
            #expect(removed.code == "THUMBNAIL_NOT_FOUND")
            let location = try #require(sent.header("location"))
            let status = try await school.send(.get, location, token: other.token())
            #expect(status.status == 400)
            #expect(status.code == "STATUS_NOT_FOUND")
            for method in ["GET", "DELETE"] {
                let answer = try await school.send(
                    method == "GET" ? .get : .delete,
                    "/v1/thumbnails?environment=production&thumbnailId=ratios.png",
                    token: Persona.ada.token)
                #expect(answer.status == 403)
            }
        }
    }

    @Test func `at most a hundred pictures wait at a time`() async throws {
        try await withSchool { school in
            try await publish(school)
            // As if by another organization's worker: claimed here, and never finished.
            try school.sql(
                """
                insert into school.thumbnail_upload (organization_id, status_id, team_id, environment,
                                                     thumbnail_id, bytes)
                select \(school.hillside), 'S' || n, \(team.id), 'production', 'waiting', 'PNG'
                  from generate_series(1, 100) as n
                """)
            let answer = try await school.thumbnail(
                "POST", "ratios.png", team, body: try Picture.gradient(100, 100, .png))
            #expect(answer.status == 429)
            #expect(answer.code == "TOO_MANY_REQUESTS")
            #expect(answer.header("retry-after") == "1")
        }
    }
}

extension TestSchool {
    func thumbnail(
        _ method: String, _ id: String, _ team: Team, environment: String = "production",
        type: String = "image/png", body: [UInt8] = []
    ) async throws -> Answer {
        let methods: [String: HTTPMethod] = ["GET": .get, "POST": .post, "DELETE": .delete]
        return try await send(
            methods[method] ?? .get,
            "/v1/thumbnails?environment=\(environment)&thumbnailId=\(id)", token: team.token(),
            body: body, headers: body.isEmpty && method != "POST" ? [] : [("Content-Type", type)])
    }

    /// The outcome of an upload, as soon as there is one.
    func status(at answer: Answer, _ team: Team) async throws -> Answer {
        let location = try #require(answer.header("location"))
        return try await awaited(until: { $0.json["state"] != "pending" }) {
            let status = try await send(.get, location, token: team.token())
            #expect(status.status == 200)
            return status
        }
    }
}
