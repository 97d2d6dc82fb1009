import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What other systems write into the gradebook.
@Suite struct GradebookTests {
    @Test func `what is put is read with full references, and 201 answers both times`() async throws
    {
        try await withSchool { school in
            let grader = try await Grader(school)
            let title = String(repeating: "ü", count: 112)
            #expect(
                try await grader.send("PUT", "categories/tests", ["category": ["title": "Tests"]])
                    .status == 201)
            for _ in 0..<2 {
                let answer = try await grader.putItem(
                    "quiz", title: title, [("category", ["sourcedId": "tests"])])
                #expect(answer.status == 201, "\(answer.text)")
            }
            let item = try await grader.get("lineItems/quiz").json["lineItem"]
            #expect(item?["title"]?.text == title)
            #expect(item?["assignDate"] == "2026-09-01T08:00:00.000Z")
            #expect(item?["resultValueMax"]?.double == 100)
            #expect(item?["category"]?["sourcedId"] == "tests")
            #expect(
                item?["category"]?["href"]?.text?.hasSuffix(
                    "/ims/oneroster/gradebook/v1p2/categories/tests") == true)
            #expect(
                item?["class"]?["href"]?.text?.hasSuffix(
                    "/ims/oneroster/rostering/v1p2/classes/class-Biology") == true)
            #expect(item?["school"]?["type"] == "org")
            #expect(item?["status"] == "active")
            let first = try await grader.get("lineItems")
            let known = [("If-None-Match", first.header("ETag") ?? "")]
            let path = "\(Edition.v1p2.path(of: .gradebook))/lineItems"
            let again = try await school.send("GET", path, token: grader.token, headers: known)
            #expect(again.status == 304)
            _ = try await grader.putItem("quiz", title: "Another")
            let changed = try await school.send("GET", path, token: grader.token, headers: known)
            #expect(changed.status == 200)
            let old = try await grader.get("lineItems/quiz", in: .v1p1).json["lineItem"]
            #expect(
                old?["class"]?["href"]?.text?.hasSuffix("/ims/oneroster/v1p1/classes/class-Biology")
                    == true)
            #expect(old?["school"] == nil)
        }
    }

    @Test func `a score is stored as given, and exempt comes back`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            _ = try await grader.putItem("quiz")
            #expect(
                try await grader.putResult(
                    "sams", [("score", 300), ("scoreStatus", "fully graded")]
                ).status == 201)
            #expect(
                try await grader.putResult(
                    "sues", student: "sis-sue", [("scoreStatus", "exempt"), ("late", "true")]
                ).status == 201)
            let sams = try await grader.get("results/sams").json["result"]
            #expect(sams?["score"]?.double == 300)
            #expect(sams?["scoreDate"] == "2026-09-09")
            #expect(sams?["lineItem"]?["sourcedId"] == "quiz")
            #expect(sams?["student"]?["type"] == "user")
            let sues = try await grader.get("results/sues").json["result"]
            #expect(sues?["scoreStatus"] == "exempt" && sues?["score"] == nil)
            #expect(sues?["late"] == "true")
            #expect(try await grader.ids("classes/class-Biology/results") == ["sams", "sues"])
            #expect(
                try await grader.ids("classes/class-Biology/lineItems/quiz/results") == [
                    "sams", "sues",
                ])
            #expect(
                try await grader.ids("classes/class-Biology/students/sis-sue/results") == ["sues"])
            #expect(try await grader.ids("results?filter=score%3E'100'") == ["sams"])
        }
    }

    @Test func `posts get ids of ours, all or none`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            let item: JSONValue = [
                "sourcedId": "mine", "title": "Quiz", "class": ["sourcedId": "class-Biology"],
            ]
            let made = try await grader.send(
                "POST", "classes/class-Biology/lineItems", ["lineItems": [item, item]])
            #expect(made.status == 201, "\(made.text)")
            let pairs = made.json["sourcedIdPairs"]?.array ?? []
            #expect(pairs.map { $0["suppliedSourcedId"] } == ["mine", "mine"])
            let ids = pairs.compactMap { $0["allocatedSourcedId"]?.text }
            #expect(Set(try await grader.ids("lineItems")) == Set(ids) && Set(ids).count == 2)
            func result(_ student: String) -> JSONValue {
                [
                    "lineItem": ["sourcedId": .text(ids[0])],
                    "student": ["sourcedId": .text(student)],
                    "scoreStatus": "submitted", "scoreDate": "2026-09-09T10:00:00Z",
                ]
            }
            let path = "lineItems/\(ids[0])/results"
            let refused = try await grader.send(
                "POST", path, ["results": [result("sis-sam"), result("sis-ben")]])
            #expect(refused.status == 422, "Ben is not in the class")
            #expect(
                refused.json["imsx_description"]?.text?.hasPrefix("results/1/student: ") == true)
            #expect(try await grader.ids("results") == [])
            #expect(
                try await grader.send("POST", path, ["results": [result("sis-sam")]]).status == 201)
            #expect(try await grader.ids("results").count == 1)
            #expect(
                try await grader.send("POST", "classes/nowhere/lineItems", ["lineItems": [item]])
                    .status == 404)
        }
    }

    @Test func `a class without categories has one, and nested paths of unknown parents are 404`()
        async throws
    {
        try await withSchool { school in
            let grader = try await Grader(school)
            #expect(
                try await grader.ids("classes/class-Biology/categories") == ["default-category"])
            for path in [
                "classes/nothing/categories", "classes/class-Chemistry/lineItems",
                "classes/class-Biology/lineItems/nothing/results",
                "classes/class-Biology/students/sis-ben/results", "classes/nothing/scoreScales",
                "schools/nothing/scoreScales",
            ] {
                let answer = try await grader.get(path)
                #expect(
                    answer.status == 404 && answer.json["imsx_codeMajor"] == "failure", "\(path)")
            }
            #expect(
                try await grader.send(
                    "PUT", "categories/default-category", ["category": ["title": "Mine"]]
                ).status == 403)
        }
    }

    @Test func `what refers to something out of reach is refused, and says where`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            let elsewhere = try await grader.putItem("quiz", group: "class-Chemistry")
            let nowhere = try await grader.putItem("quiz", group: "nothing")
            #expect(elsewhere.status == 422 && elsewhere.body == nowhere.body, "no grant")
            #expect(elsewhere.json["imsx_description"]?.text?.hasPrefix("lineItem/class: ") == true)
            _ = try await grader.putItem("quiz")
            for (member, value) in [
                ("category", "nothing"), ("scoreScale", "nothing"), ("academicSession", "nothing"),
            ] {
                let answer = try await grader.putItem(
                    "other", [(member, ["sourcedId": .text(value)])])
                #expect(answer.status == 422)
                #expect(
                    answer.json["imsx_description"]?.text?.hasPrefix("lineItem/\(member): ") == true
                )
            }
            for (item, student, member) in [
                ("nothing", "sis-sam", "lineItem"), ("quiz", "sis-ben", "student"),
                ("quiz", "sis-omar", "student"), ("quiz", "sis-tom", "student"),
            ] {
                let answer = try await grader.putResult("sams", of: item, student: student)
                #expect(answer.status == 422)
                #expect(
                    answer.json["imsx_description"]?.text?.hasPrefix("result/\(member): ") == true)
            }
            let unfit = try await grader.send(
                "PUT", "lineItems/x", ["lineItem": ["title": "Quiz", "clazz": 1]])
            #expect(
                unfit.status == 422
                    && unfit.json["imsx_description"]?.text?.contains("clazz") == true)
        }
    }

    @Test func `categories and scales of other systems can be used if they are listed`()
        async throws
    {
        try await withSchool { school in
            let first = try await Grader(school, "First")
            let scale: JSONValue = [
                "title": "Letters", "type": "ordinal", "class": ["sourcedId": "class-Biology"],
                "scoreScaleValue": [["itemValueLHS": "A", "itemValueRHS": "90"]],
            ]
            _ = try await first.send("PUT", "categories/tests", ["category": ["title": "Tests"]])
            _ = try await first.send("PUT", "scoreScales/letters", ["scoreScale": scale])
            let links: [(String, JSONValue)] = [
                ("category", ["sourcedId": "tests"]), ("scoreScale", ["sourcedId": "letters"]),
            ]
            #expect(try await first.putItem("quiz", links).status == 201)

            let second = try await Grader(
                school, "Second", grants: [["locationId": "source:main", "readsResults": true]])
            for (collection, member) in [
                ("categories", "category"), ("scoreScales", "scoreScale"),
            ] {
                let listed = try await second.ids(collection)
                #expect(listed.count == (member == "category" ? 2 : 1), "\(listed)")
                for id in listed {
                    let item = "\(member)-\(id)"
                    let answer = try await second.putItem(
                        item, [(member, ["sourcedId": .text(id)])])
                    #expect(answer.status == 201, "\(answer.text)")
                    let read = try await second.get("lineItems/\(item)").json["lineItem"]
                    #expect(read?[member]?["sourcedId"]?.text == id)
                }
                for id in listed where id != "default-category" {
                    let written = try await second.send("DELETE", "\(collection)/\(id)")
                    #expect(written.status != 204, "it is the other system’s")
                }
            }
            let stranger = try await Grader(school, "Third")
            for category in try await second.ids("categories") where category != "default-category"
            {
                let refused = try await stranger.putItem(
                    "quiz", [("category", ["sourcedId": .text(category)])])
                #expect(refused.status == 422, "it is not listed: \(refused.text)")
            }
            #expect(try await first.send("DELETE", "categories/tests").status == 204)
            let left = try await second.ids("lineItems")
            for id in left {
                let item = try await second.get("lineItems/\(id)").json["lineItem"]
                #expect(item?["category"]?["sourcedId"] == "default-category")
            }
        }
    }

    @Test func `score scales are stored with their values`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            let scale: JSONValue = [
                "title": "Letters", "type": "ordinal", "class": ["sourcedId": "class-Biology"],
                "scoreScaleValue": [["itemValueLHS": "A", "itemValueRHS": "90"]],
                "metadata": ["vendor": ["x": 1]],
            ]
            #expect(
                try await grader.send("PUT", "scoreScales/letters", ["scoreScale": scale]).status
                    == 201)
            let read = try await grader.get("scoreScales/letters").json["scoreScale"]
            #expect(read?["scoreScaleValue"] == scale["scoreScaleValue"])
            #expect(read?["metadata"] == scale["metadata"])
            #expect(try await grader.ids("classes/class-Biology/scoreScales") == ["letters"])
            #expect(try await grader.ids("schools/main/scoreScales") == ["letters"])
            #expect(
                try await grader.putItem("quiz", [("scoreScale", ["sourcedId": "letters"])]).status
                    == 201)
            let huge = String(repeating: "x", count: 20_000)
            let refused = try await grader.putItem("big", [("metadata", ["x": .text(huge)])])
            #expect(refused.status == 422 && refused.text.contains("16 KiB"))
        }
    }

    @Test func `each system has its own names and does not see what others wrote`() async throws {
        try await withSchool { school in
            let first = try await Grader(school, "First")
            let second = try await Grader(school, "Second")
            _ = try await first.putItem("quiz", title: "Of the first")
            #expect(try await second.ids("lineItems") == [])
            #expect(try await second.get("lineItems/quiz").status == 404)
            #expect(try await second.send("DELETE", "lineItems/quiz").status == 404)
            _ = try await second.putItem("quiz", title: "Of the second")
            #expect(
                try await first.get("lineItems/quiz").json["lineItem"]?["title"] == "Of the first")
            try await second.grant([["classId": "source:class-Biology", "readsResults": true]])
            let all = try await second.get("lineItems").json["lineItems"]?.array ?? []
            #expect(all.count == 2)
            let foreign = try #require(
                all.first { $0["title"] == "Of the first" }?["sourcedId"]?.text)
            #expect(UUID(foreign) != nil)
            #expect(try await second.putItem(foreign).status == 403)
            #expect(try await second.send("DELETE", "lineItems/\(foreign)").status == 403)
        }
    }

    @Test func `a token with scopes needs one of the gradebook for each kind of call`() async throws
    {
        try await withSchool { school in
            let reader = try await Grader(school, scopes: ["gradebook.readonly"])
            #expect(try await reader.get("lineItems").status == 200)
            #expect(try await reader.putItem("quiz").status == 403)
            #expect(try await reader.send("DELETE", "lineItems/quiz").status == 403)
            let answer = try await school.send(
                "GET", "\(Edition.v1p2.path)/users", token: reader.token)
            #expect(answer.status == 403)
            let core = try await Grader(school, scopes: ["gradebook-core.readonly"])
            #expect(try await core.get("lineItems").status == 200)
            #expect(try await core.get("classes/class-Biology/lineItems").status == 403)
        }
    }
}
