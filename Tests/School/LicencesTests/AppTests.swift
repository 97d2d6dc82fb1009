import API
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Apps {
    @Test func `an app is added, read, listed and removed`() async throws {
        try await withSchool { school in
            try school.makeMaraContentManager()
            let made = try await school.post(
                "/v1/apps", as: .mara,
                json: [
                    "adamId": "990011223", "bundleId": "org.example.chess", "name": "Chess",
                    "productType": "App", "platforms": ["macOS", "iOS", "iOS"],
                ])
            #expect(made.status == 201)
            #expect(made.header("location") == "/v1/apps/990011223")
            #expect(made.text("id") == "990011223")
            #expect(made.json["deviceAssignable"] == true)
            #expect(made.json["revocable"] == true)
            #expect(made.json["worksWithSchoolwork"] == false)
            #expect(made.json["platforms"] == ["iOS", "macOS"])
            #expect(made.int("totalCount") == 0)
            let found = try await school.get("/v1/apps/990011223", as: .ada)
            #expect(found.body == made.body)
            #expect(found.header("etag") == made.header("etag"))
            let listed = try await school.get("/v1/apps?productType=App", as: .ada)
            #expect(listed.items.map { $0["name"]?.text } == ["Chess"])
            #expect(try await school.get("/v1/apps?productType=Book", as: .ada).items.isEmpty)
            let again = try await school.post(
                "/v1/apps", as: .ada,
                json: [
                    "adamId": "990011223", "bundleId": "a", "name": "Other", "productType": "App",
                ])
            #expect(again.status == 409)
            #expect(again.code == "app_exists")
            #expect(try await school.delete("/v1/apps/990011223", as: .mara).status == 204)
            #expect(try await school.get("/v1/apps/990011223", as: .ada).status == 404)
        }
    }

    @Test func `a book is for people, and kept`() async throws {
        try await withSchool { school in
            let book = try await school.put(
                "/v1/apps/7", as: .ada, json: ["name": "Novel", "productType": "Book"])
            #expect(book.status == 201)
            #expect(book.json["deviceAssignable"] == false)
            #expect(book.json["revocable"] == false)
            for field in ["deviceAssignable", "revocable"] {
                let refused = try await school.patch(
                    "/v1/apps/7", as: .ada, json: .object(JSONObject([(field, true)])))
                #expect(refused.status == 422)
                #expect(refused.pointers == ["/\(field)"])
            }
        }
    }

    @Test(
        arguments: [
            (["name": "X", "productType": "App"], "/bundleId"),
            (["name": "X", "productType": "Song", "bundleId": "a"], "/productType"),
            (["name": " ", "productType": "App", "bundleId": "a"], "/name"),
            (["productType": "App", "bundleId": "a"], "/name"),
            (["name": "X", "productType": "App", "bundleId": "a", "price": 1], "/price"),
            (["name": "X", "productType": "App", "bundleId": "a", "adamId": "8"], "/adamId"),
            (
                ["name": "X", "productType": "App", "bundleId": "a", "platforms": ["DOS"]],
                "/platforms/0"
            ),
        ] as [(JSONValue, String)])
    func `an invalid app is refused with a pointer`(body: JSONValue, pointer: String) async throws {
        try await withSchool { school in
            let answer = try await school.put("/v1/apps/7", as: .ada, json: body)
            #expect(answer.status == 422)
            #expect(answer.pointers == [pointer])
        }
    }

    @Test func `a store id has digits only`() async throws {
        try await withSchool { school in
            let body: JSONValue = ["name": "X", "productType": "Book"]
            for id in ["seven", "123456789012345678901", "-1"] {
                let answer = try await school.put("/v1/apps/\(id)", as: .ada, json: body)
                #expect(answer.status == 422)
                #expect(answer.pointers == ["/adamId"])
            }
        }
    }

    @Test func `PUT replaces, PATCH changes, both under preconditions`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let path = "/v1/apps/\(TestSchool.quizzlerID)"
            let before = try await school.get(path, as: .ada)
            let tag = [("If-Match", before.header("etag") ?? "")]
            let renamed = try await school.patch(
                path, as: .ada, json: ["name": "Quiz", "platforms": ["iOS"]], headers: tag)
            #expect(renamed.status == 200)
            #expect(renamed.text("name") == "Quiz")
            #expect(renamed.text("bundleId") == school.quizzler)
            #expect(renamed.int("totalCount") == 5)
            let stale = try await school.patch(path, as: .ada, json: ["name": "X"], headers: tag)
            #expect(stale.status == 412)
            let kept = try await school.patch(path, as: .ada, json: ["platforms": nil])
            #expect(kept.json["platforms"] == [])
            let unnamed = try await school.patch(path, as: .ada, json: ["name": nil])
            #expect(unnamed.status == 422)
            #expect(unnamed.pointers == ["/name"])
            let body: JSONValue = ["name": "Q", "productType": "App", "bundleId": "b"]
            #expect(try await school.put(path, as: .ada, json: body).status == 200)
            let exists = try await school.put(
                path, as: .ada, json: body, headers: [("If-None-Match", "*")])
            #expect(exists.status == 412)
            let absent = try await school.put(
                "/v1/apps/1", as: .ada, json: body, headers: [("If-Match", "*")])
            #expect(absent.status == 412)
            #expect(try await school.delete(path, as: .ada, headers: tag).status == 412)
        }
    }

    @Test func `the ETag follows the seats, the licences and the contexts`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let path = "/v1/apps/\(TestSchool.quizzlerID)"
            var tags: Set<String> = []
            func note() async throws {
                let answer = try await school.get(path, as: .ada)
                let tag = try #require(answer.header("etag"))
                let isNew = tags.insert(tag).inserted
                #expect(isNew)
                let known = try await school.get(
                    path, as: .ada, headers: [("If-None-Match", tag)])
                #expect(known.status == 304)
            }
            try await note()
            try await school.buy(6, of: TestSchool.quizzlerID)
            try await note()
            #expect(try await school.grant(school.people(.sam)).status == 201)
            try await note()
            try school.sql(
                """
                insert into school.context (organization_id, context_id, environment, bundle_id,
                                            identifier_path, locale, title, type)
                values (\(school.hillside), school.new_id(), 'production', \(school.quizzler), '{}', 'en',
                        'Quizzler', 'app')
                """)
            try await note()
            let works = try await school.get(path, as: .ada)
            #expect(works.json["worksWithSchoolwork"] == true)
            let list = "/v1/apps?worksWithSchoolwork="
            #expect(try await school.get(list + "true", as: .ada).items.count == 1)
            #expect(try await school.get(list + "false", as: .ada).items.isEmpty)
        }
    }

    @Test func `an app works for the person who saved contexts with it, and for nobody else`()
        async throws
    {
        try await withSchool { school in
            try school.makeMaraContentManager()
            try await school.buyQuizzler(1)
            try school.sql(
                """
                insert into school.context (organization_id, context_id, kind, person_id, environment,
                                            bundle_id, identifier_path, locale, title, type)
                values (\(school.hillside), school.new_id(), 'native', \(school.id(.mara)), 'production',
                        \(school.quizzler), '{own}', 'und', 'Own', 'quiz')
                """)
            let path = "/v1/apps/\(TestSchool.quizzlerID)"
            for (persona, works) in [(Persona.mara, true), (.ada, false)] {
                let app = try await school.get(path, as: persona)
                #expect(app.json["worksWithSchoolwork"]?.bool == works)
            }
        }
    }

    @Test func `an app works whose own contexts a published handout assigns`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(1)
            let path = "/v1/apps/\(TestSchool.quizzlerID)"
            let works = {
                try await school.get(path, as: .ada).json["worksWithSchoolwork"]?.bool
            }
            try school.sql(
                """
                insert into school.context (organization_id, context_id, kind, person_id,
                                            environment, bundle_id, identifier_path, locale, title,
                                            type, is_assignable)
                values (\(school.hillside), school.new_id(), 'native', \(school.id(.tom)), 'production',
                        \(school.quizzler), '{own}', 'und', 'Own', 'quiz', true)
                """)
            #expect(try await works() == false)
            let task: JSONValue = [
                "kind": "appActivity", "bundleId": .text(school.quizzler),
                "identifierPath": ["own"],
            ]
            let handout: JSONValue = [
                "classId": .text(school.biology.uuid.description), "title": "Own work",
                "tasks": [task],
            ]
            let draft = try await school.post("/v1/handouts", as: .tom, json: handout)
            #expect(draft.status == 201, "\(draft.text)")
            #expect(try await works() == false, "a draft is the author's alone")
            let id = try #require(draft.json["id"]?.text)
            _ = try await school.put("/v1/handouts/\(id)/publication", as: .tom)
            #expect(try await works() == true)
            let book = try await school.put(
                "/v1/apps/1234567890", as: .ada, json: ["name": "Novel", "productType": "Book"])
            #expect(book.status == 201, "\(book.text)")
            #expect(book.json["worksWithSchoolwork"] == false, "a book without a bundle id")
        }
    }

    @Test func `lists are filtered and come in pages`() async throws {
        try await withSchool { school in
            for number in 1...5 {
                let answer = try await school.put(
                    "/v1/apps/\(number)", as: .ada,
                    json: [
                        "name": .text("App \(number)"), "productType": "App",
                        "bundleId": .text("org.example.\(number)"),
                        "deviceAssignable": .bool(number > 3),
                    ])
                #expect(answer.status == 201)
            }
            try await school.buy(1, of: "2")
            func ids(_ query: String) async throws -> [String] {
                let answer = try await school.get("/v1/apps?\(query)", as: .ada)
                #expect(answer.status == 200)
                return answer.items.compactMap { $0["adamId"]?.text }
            }
            #expect(try await ids("deviceAssignable=true") == ["4", "5"])
            #expect(try await ids("revocable=false") == [])
            #expect(try await ids("bundleId=org.example.3") == ["3"])
            #expect(try await ids("locationId=source:main") == ["2"])
            #expect(try await ids("updatedSince=2100-01-01T00:00:00.000Z") == [])
            var seen: [String] = []
            var next = "limit=2"
            while true {
                let answer = try await school.get("/v1/apps?\(next)", as: .ada)
                seen += answer.items.compactMap { $0["adamId"]?.text }
                guard let token = answer.text("nextPageToken") else { break }
                next = "limit=2&pageToken=\(token)"
            }
            #expect(seen == ["1", "2", "3", "4", "5"])
        }
    }

    @Test(arguments: [
        Persona.petra, .mara, .tom, .sam, .provisioner, .exporter, .samsApp,
    ])
    func `licences are for administrators and content managers`(persona: Persona) async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let app = "/v1/apps/\(TestSchool.quizzlerID)"
            #expect(try await school.get("/v1/apps", as: .ada).items.count == 1)
            for path in ["/v1/apps", app, app + "/pools", app + "/licences"] {
                #expect(try await school.get(path, as: persona).status == 403)
            }
            #expect(try await school.grant(school.people(.sam), as: persona).status == 403)
            #expect(try await school.delete(app, as: persona).status == 403)
        }
    }

    @Test func `another organization sees nothing of it`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let app = "/v1/apps/\(TestSchool.quizzlerID)"
            #expect(try await school.get(app, as: .ada).status == 200)
            #expect(try await school.get("/v1/apps", as: .olga).items.isEmpty)
            for path in [app, app + "/pools", app + "/pools/source:main", app + "/licences"] {
                #expect(try await school.get(path, as: .olga).status == 404)
            }
            #expect(try await school.grant(school.people(.omar), as: .olga).status == 404)
            let own = try await school.put(
                app, as: .olga, json: ["name": "Ours", "productType": "Book"])
            #expect(own.status == 201, "the same store id is another app there")
        }
    }
}
