import JSONBytes
import Postgres
import School
import TestKit
import Testing

@Suite struct SearchCatalog {
    let team = Team()

    private func publish(_ school: TestSchool) async throws {
        try await school.register(team)
        let posted = try await school.publish(
            [
                team.context([], "River Maths", data: [("topic", "math")]),
                team.context([], "Mathe am Fluss", locale: "de", data: [("topic", "math")]),
                team.context(
                    ["ratios"], "Ratios and proportions",
                    data: [
                        ("suggestedAge", [10, 12]), ("suggestedCompletionTime", [5, 12]),
                        ("progressReportingCapabilities", [["kind": "score"]]),
                    ], metadata: [("keywords", ["year 7", "fraction"])]),
                team.context(["ratios"], "Verhältnisse", locale: "de"),
                team.context(
                    ["cells"], "Cells",
                    data: [("topic", "science"), ("summary", "Not about ratios at all.")]),
                team.context(
                    ["fractions"], "Fractions",
                    data: [("isAssignable", false), ("suggestedAge", [8, 9223372036854775807])]),
            ], token: team.token())
        #expect(posted.status == 201, "\(posted.text)")
    }

    private func titles(
        _ school: TestSchool, _ query: String, language: String = "en"
    ) async throws -> [String] {
        let answer = try await school.get(
            "/v1/catalog/search?\(query)", as: .tom, headers: [("Accept-Language", language)])
        #expect(answer.status == 200)
        return answer.items.compactMap { $0["title"]?.text }
    }

    @Test func `words match by prefix, titles before keywords before summaries`()
        async throws
    {
        try await withSchool { school in
            try await publish(school)
            #expect(try await titles(school, "q=rat") == ["Ratios and proportions", "Cells"])
            #expect(try await titles(school, "q=fract") == ["Fractions", "Ratios and proportions"])
            #expect(try await titles(school, "q=PROPORTIONS%20year") == ["Ratios and proportions"])
            #expect(try await titles(school, "q=ratios%20lakes").isEmpty)
            #expect(try await titles(school, "q=%27%7C!%3A*%26%5C%20(").isEmpty)
        }
    }

    @Test func `every locale is searched and the reader's is shown, once`() async throws {
        try await withSchool { school in
            try await publish(school)
            #expect(
                try await titles(school, "q=verhaltnis", language: "en-gb") == [
                    "Ratios and proportions"
                ])
            #expect(
                try await titles(school, "q=proportions", language: "de-AT") == ["Verhältnisse"])
        }
    }

    @Test func `filters go by what is shown, and a topic also by what is inherited`() async throws {
        try await withSchool { school in
            try await publish(school)
            #expect(try await titles(school, "q=ratios&topic=math") == ["Ratios and proportions"])
            #expect(try await titles(school, "q=ratios&topic=science") == ["Cells"])
            #expect(
                try await titles(school, "q=ratios&age=12") == ["Ratios and proportions", "Cells"])
            #expect(try await titles(school, "q=ratios&age=13") == ["Cells"])
            #expect(try await titles(school, "q=fractions&age=90") == ["Fractions"])
            #expect(
                try await titles(school, "q=ratios&minutesMax=12") == ["Ratios and proportions"])
            #expect(try await titles(school, "q=ratios&minutesMax=11").isEmpty)
            #expect(try await titles(school, "q=ratios&kind=score") == ["Ratios and proportions"])
            #expect(try await titles(school, "q=cells&kind=duration") == ["Cells"])
            #expect(try await titles(school, "q=ratios&bundleId=org.example.other").isEmpty)
            #expect(try await titles(school, "q=ratios&environment=development").isEmpty)
        }
    }

    @Test func `pages follow each other without a gap`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let quizzes = (0..<7).map { team.context(["q\($0)"], "Quiz") }
            _ = try await school.publish([team.context([], "App")] + quizzes, token: team.token())
            var target = "/v1/catalog/search?q=quiz&limit=3"
            var seen: [JSONValue?] = []
            var pages = 0
            while pages < 5 {
                let answer = try await school.get(target, as: .tom)
                seen += answer.items.map { $0["identifierPath"] }
                pages += 1
                guard let token = answer.json["nextPageToken"]?.text else { break }
                target = "/v1/catalog/search?q=quiz&limit=3&pageToken=\(token)"
            }
            #expect(pages == 3)
            #expect(seen.count == 7 && Set(seen.compactMap { $0?.description }).count == 7)
        }
    }

    @Test func `withdrawn contexts are no longer found, and strangers find only their own`()
        async throws
    {
        try await withSchool { school in
            try await publish(school)
            let target = "/v1/catalog/search?q=cells"
            #expect(try await school.get(target, as: .tom).items.count == 1)
            #expect(try await school.get(target, as: .otto).items.isEmpty)
            #expect(try await school.get(target, as: .sam).status == 403)
            #expect(try await school.get(target, as: .tomsApp).status == 403)
            _ = try await school.context(
                [team.bundleIDs[0], "cells"], token: team.token(), method: "DELETE")
            #expect(try await school.get(target, as: .tom).items.isEmpty)
        }
    }

    @Test func `the functions for browsing refuse callers without access`() async throws {
        try await withSchool { school in
            try await publish(school)
            for persona in [Persona.sam, .samsApp, .mara, .exporter] {
                #expect(throws: (any Error).self) {
                    try school.sql(
                        "select * from school.browse_apps('production', '{}', null, 10)",
                        as: school.caller(persona))
                }
            }
            let rows = try school.sql(
                "select * from school.browse_apps('production', '{}', null, 10)",
                as: school.caller(.tom))
            #expect(rows.count == 1)
        }
    }
}

@Suite struct OtherBrowseParents {
    let team = Team()
    private let children = "/v1/catalog/apps/org.example.rivermaths/contexts"

    @Test func `a context is also shown where its presentable paths say`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let posted = try await school.publish(
                [
                    team.context([], "River Maths"),
                    team.context(["topics"], "By topic", data: [("isAssignable", false)]),
                    team.context(["topics", "easy"], "Easy"),
                    team.context(["easy", "topics"], "No"),
                    team.context(["easy"], "Not this one"),
                    team.context(["unit"], "Unit", data: [("displayOrder", 1)]),
                    team.context(
                        ["unit", "check"], "Check",
                        metadata: [
                            (
                                "presentablePaths",
                                [["path": ["org.example.rivermaths", "topics", "easy"]]]
                            )
                        ]),
                ], token: team.token())
            #expect(posted.status == 201, "\(posted.text)")
            func shown(_ path: String) async throws -> [JSONValue?] {
                try await school.get("\(children)?path=\(path)", as: .tom).items.map { $0["title"] }
            }
            #expect(try await shown("%5B%22topics%22,%22easy%22%5D") == ["Check"])
            #expect(try await shown("%5B%22unit%22%5D") == ["Check"], "and still under its parent")
            #expect(try await shown("%5B%22easy%22,%22topics%22%5D").isEmpty)
            let topics = try await school.get("\(children)?path=%5B%22topics%22%5D", as: .tom)
            #expect(topics.items.map { $0["hasChildren"] } == [true])
            let elsewhere = try await school.publish(
                [
                    team.context(
                        ["unit", "check"], "Check",
                        metadata: [("presentablePaths", [["path": ["org.example.other"]]])])
                ], token: team.token())
            #expect(elsewhere.code == "INVALID_BODY")
        }
    }
}
