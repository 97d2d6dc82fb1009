import AloneKit
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import Catalog

/// What changed since an app last looked, for a copy on the device.
@Suite struct ChangedContexts {
    private static let call = "/v1/me/contexts?descendants=true"

    private func context(_ path: [String], _ title: String) -> JSONValue {
        [
            "identifierPath": .array(path.map(JSONValue.text)), "title": .text(title),
            "type": path.isEmpty ? "app" : "quiz",
        ]
    }

    private func save(
        _ contexts: [JSONValue], _ school: TestSchool, as app: Persona = .tomsApp
    ) async throws {
        let answer = try await school.post(
            "/v1/me/contexts", as: app, json: ["contexts": .array(contexts)])
        #expect(answer.status == 202)
    }

    private func remove(_ path: String, _ school: TestSchool) async throws {
        let answer = try await school.delete(
            "/v1/me/contexts?path=%5B%22\(path)%22%5D", as: .tomsApp)
        #expect(answer.status == 204)
    }

    /// A copy as an app keeps it: titles by path.
    private final class Copy {
        var titles: [[String]: String] = [:]
        var cursor: String?
        var app = Persona.tomsApp
        var language = "en"
        /// How often the server made it start over.
        var starts = 0
        /// The paths that were named, in the order of the last round.
        var named: [[String]] = []

        /// Reads page after page what changed; at most `pages`.
        func refresh(_ school: TestSchool, limit: Int = 100, pages: Int = 1000) async throws {
            var target = "\(ChangedContexts.call)&limit=\(limit)"
            if let cursor { target += "&updatedSince=\(cursor)" }
            var token: String?
            named = []
            for _ in 0..<pages {
                let answer = try await school.get(
                    target + (token.map { "&pageToken=\($0)" } ?? ""), as: app,
                    headers: [("Accept-Language", language)])
                #expect(answer.status == 200)
                if answer.json["startsOver"] == true {
                    starts += 1
                    titles = [:]
                }
                for path in answer.json["removed"]?.array ?? [] {
                    let path = (path.array ?? []).compactMap(\.text)
                    titles[path] = nil
                    named.append(path)
                }
                for item in answer.items {
                    let path = (item["identifierPath"]?.array ?? []).compactMap(\.text)
                    titles[path] = item["title"]?.text
                    named.append(path)
                }
                cursor = try #require(answer.json["updatedSince"]?.text)
                token = answer.json["nextPageToken"]?.text
                #expect(answer.header("Link") == nil || token != nil)
                if token == nil { break }
            }
        }
    }

    @Test func `a copy follows what is saved, changed and removed, in pages of any size`()
        async throws
    {
        try await withSchool { school in
            for limit in [1, 2, 100] {
                let copy = Copy()
                try await save(
                    [context(["a"], "A"), context(["a", "b"], "B"), context(["c"], "C")], school)
                try await copy.refresh(school, limit: limit)
                #expect(copy.starts == 1)
                #expect(
                    copy.titles
                        == [[]: TestIDs.quizzler, ["a"]: "A", ["a", "b"]: "B", ["c"]: "C"])
                try await copy.refresh(school, limit: limit)
                #expect(copy.named.isEmpty && copy.starts == 1)
                try await save([context(["c"], "C"), context(["a"], "A2")], school)
                try await copy.refresh(school, limit: limit)
                #expect(copy.named == [["a"]], "C was saved again as it was")
                try await remove("a", school)
                try await copy.refresh(school, limit: limit)
                #expect(Set(copy.named) == [["a"], ["a", "b"]])
                #expect(copy.titles == [[]: TestIDs.quizzler, ["c"]: "C"])
                try await save([context(["a"], "A3")], school)
                try await copy.refresh(school, limit: limit)
                #expect(copy.titles[["a"]] == "A3" && copy.starts == 1)
                try await remove("a", school)
            }
        }
    }

    @Test func `the catalog is part of it, and what the app saved covers it`() async throws {
        try await withSchool { school in
            var team = Team()
            team.bundleIDs = [TestIDs.quizzler]
            try await school.register(team)
            func publish(_ contexts: [JSONValue]) async throws {
                let answer = try await school.publish(contexts, token: team.token())
                #expect(answer.status == 201)
            }
            let all = [
                team.context([], "Quizzler"), team.context(["a"], "A"),
                team.context(["b"], "B"),
            ]
            try await publish(all)
            let copy = Copy()
            try await copy.refresh(school)
            #expect(copy.titles == [[]: "Quizzler", ["a"]: "A", ["b"]: "B"])
            try await publish(all)
            try await copy.refresh(school)
            #expect(copy.named.isEmpty, "published again as it was")

            try await save([context(["a"], "Own A")], school)
            try await publish([team.context(["a"], "New A"), team.context(["b"], "New B")])
            try await copy.refresh(school, limit: 1)
            #expect(copy.titles == [[]: "Quizzler", ["a"]: "Own A", ["b"]: "New B"])
            try await remove("a", school)
            try await copy.refresh(school)
            #expect(copy.titles[["a"]] == "New A")
            let gone = try await school.context(
                [TestIDs.quizzler, "b"], token: team.token(), method: "DELETE")
            #expect(gone.status == 204)
            try await copy.refresh(school)
            #expect(copy.titles == [[]: "Quizzler", ["a"]: "New A"])
            #expect(copy.starts == 1)
        }
    }

    @Test func `it starts over after 29 days, for other languages, and for a text of any kind`()
        async throws
    {
        try await withSchool { school in
            try await save([context(["a"], "A")], school)
            let copy = Copy()
            try await copy.refresh(school)
            copy.language = "de"
            try await copy.refresh(school)
            #expect(copy.starts == 2 && copy.titles[["a"]] == "A")
            for text in ["x", "e30", "WyJhIiwxLDIsM10", "WyJhIl0"] {
                copy.cursor = text
                let starts = copy.starts
                try await copy.refresh(school)
                #expect(copy.starts == starts + 1 && copy.titles.count == 2)
            }
            let known = try #require(copy.cursor.flatMap { ContextCursor(text: $0) })
            for (days, expected) in [(28 as Int64, 0), (30, 1)] {
                var aged = known
                aged.readAt -= days * 86_400_000
                copy.cursor = aged.text
                let starts = copy.starts
                try await copy.refresh(school)
                #expect(copy.starts == starts + expected, "after \(days) days")
            }
            // Following every month keeps it young.
            let renewed = try #require(copy.cursor.flatMap { ContextCursor(text: $0) })
            #expect(renewed.readAt > known.readAt - 86_400_000)
        }
    }

    @Test func `what the server forgets is named as removed`() async throws {
        try await withSchool { school in
            try await save([context(["old"], "Old"), context(["new"], "New")], school)
            let copy = Copy()
            try await copy.refresh(school)
            try school.sql(
                "update school.context set saved_at = now() - interval '31 days' where title = 'Old'"
            )
            try school.removeOutdated()
            try await copy.refresh(school)
            #expect(copy.named == [["old"]])
            #expect(copy.titles == [[]: TestIDs.quizzler, ["new"]: "New"])
            #expect(try school.sql("select from school.removed_context").count == 1)
            try school.sql(
                "update school.removed_context set removed_at = now() - interval '31 days'")
            try school.removeOutdated()
            #expect(try school.sql("select from school.removed_context").isEmpty)
        }
    }

    @Test(.alone) func `a change that commits after a later one is not skipped`() async throws {
        try await withSchool { school in
            try await save([context(["a"], "A"), context(["b"], "B")], school)
            let copy = Copy()
            try await copy.refresh(school)
            let late = try BlockingConnection(school.ownerURL)
            try late.execute("begin")
            _ = try late.query(
                "update school.context set title = 'Late A' where identifier_path = '{a}'")
            // The second change waits for the first: numbers follow commits.
            let second = Task {
                try await save([context(["b"], "Late B")], school)
            }
            try await Task.sleep(for: .milliseconds(300))
            try await copy.refresh(school)
            #expect(copy.named.isEmpty)
            try late.execute("commit")
            try await second.value
            try await copy.refresh(school)
            #expect(copy.titles[["a"]] == "Late A" && copy.titles[["b"]] == "Late B")
        }
    }

    @Test func `a clock that was set back loses nothing`() async throws {
        try await withSchool { school in
            try await save([context(["a"], "A")], school)
            try school.sql("alter table school.context disable trigger number_change")
            try school.sql("alter table school.context enable trigger number_change")
            let copy = Copy()
            try await copy.refresh(school)
            try await save([context(["b"], "B")], school)
            try await copy.refresh(school)
            #expect(copy.named == [["b"]])
            try await remove("b", school)
            try await copy.refresh(school)
            #expect(copy.named == [["b"]] && copy.titles[["b"]] == nil)
        }
    }

    @Test func `it never holds what a handout assigns, or what others saved`() async throws {
        try await withSchool { school in
            try await save([context(["a"], "Tom's A")], school)
            try await save([context(["s"], "Sue's")], school, as: .suesApp)
            _ = try school.newHandout(path: ["a"], to: [.sam])
            try school.sql("update school.task set context_owner_id = \(Persona.tom.personID)")
            let path = "/v1/me/contexts?path=%5B%22a%22%5D"
            #expect(try await school.get(path, as: .samsApp).items.count == 1)
            let copy = Copy()
            copy.app = .samsApp
            try await copy.refresh(school)
            #expect(copy.titles.isEmpty && copy.starts == 1)
        }
    }

    @Test func `it takes no path, and its pages belong together`() async throws {
        try await withSchool { school in
            try await save([context(["a"], "A")], school)
            for query in [
                "descendants=true&path=%5B%5D", "descendants=true&children=true",
                "updatedSince=x", "descendants=true&pageToken=x",
            ] {
                let answer = try await school.get("/v1/me/contexts?\(query)", as: .tomsApp)
                #expect(answer.status == 400, "\(query)")
            }
            let first = try await school.get("\(Self.call)&limit=1", as: .tomsApp)
            let token = try #require(first.json["nextPageToken"]?.text)
            let wrong = try await school.get(
                "\(Self.call)&updatedSince=x&pageToken=\(token)", as: .tomsApp)
            #expect(wrong.status == 400)
            let lookUp = try await school.get(
                "/v1/me/contexts?path=%5B%22a%22%5D&limit=1", as: .tomsApp)
            let foreign = try #require(lookUp.json["nextPageToken"]?.text)
            let mixed = try await school.get("\(Self.call)&pageToken=\(foreign)", as: .tomsApp)
            #expect(mixed.status == 400)
        }
    }
}
