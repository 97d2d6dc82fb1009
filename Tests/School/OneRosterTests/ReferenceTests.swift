import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// References are sourcedIds: with the id of a record, what refers to it changes.
@Suite struct ReferenceTests {
    private static let collections = [
        "orgs", "academicSessions", "courses", "classes", "users", "enrollments",
    ]

    /// A client that keeps what it has read, and asks only for what changed since.
    private struct Mirror {
        let school: TestSchool
        var records: [String: [String: JSONValue]] = [:]

        mutating func follow(since: String?) async throws {
            for name in ReferenceTests.collections {
                let filter = since.map { "&filter=dateLastModified%3E'\($0)'" } ?? ""
                let answer = try await school.roster("\(name)?limit=1000\(filter)")
                #expect(answer.status == 200, "\(answer.text)")
                for record in answer.json.object?.members.first?.value.array ?? [] {
                    let id = record["sourcedId"]?.text ?? ""
                    let isGone = record["status"] == "tobedeleted"
                    if isGone {
                        records[name, default: [:]].removeValue(forKey: id)
                    } else {
                        records[name, default: [:]][id] = record
                    }
                }
            }
        }
    }

    /// As of the directory long ago.
    private func age(_ school: TestSchool) throws {
        for table: Statement in ["location", "term", "course", "class", "person"] {
            try school.sql("alter table school.\(fragment: table) disable trigger user")
            try school.sql("update school.\(fragment: table) set updated_at = '2026-01-01'")
            try school.sql("alter table school.\(fragment: table) enable trigger user")
        }
        try school.sql("update school.seat set joined_at = '2026-01-01', updated_at = '2026-01-01'")
    }

    private func renaming(_ table: String, in school: TestSchool) -> Statement {
        switch table {
        case "location":
            "update school.location set source_id = 'renamed' where location_id = \(school.mainLocation)"
        case "course": "update school.course set source_id = 'renamed' where source_id = 'science'"
        case "term": "update school.term set source_id = 'renamed' where source_id = 'autumn'"
        case "class":
            "update school.class set source_id = 'renamed' where class_id = \(school.biology)"
        default:
            "update school.person set source_id = 'renamed' where person_id = \(school.id(.sam))"
        }
    }

    @Test(arguments: ["location", "course", "term", "class", "person"])
    func `a client that asks what changed follows a new source id`(table: String) async throws {
        try await withSchool { school in
            try school.addTerms()
            try age(school)
            var mirror = Mirror(school: school)
            try await mirror.follow(since: nil)
            let before = mirror.records
            try school.sql(renaming(table, in: school))
            try await mirror.follow(since: "2026-02-01")
            var whole = Mirror(school: school)
            try await whole.follow(since: nil)
            #expect(whole.records != before, "something refers to it")
            for name in Self.collections {
                #expect(mirror.records[name] == whole.records[name], "\(name)")
            }
        }
    }

    @Test(arguments: [
        ("location", "lineItems/quiz"), ("class", "lineItems/quiz"), ("class", "results/sams"),
        ("person", "results/sams"), ("term", "lineItems/quiz"), ("course", "scoreScales/marks"),
    ])
    func `what is graded changes with the ids that it names`(
        table: String, path: String
    ) async throws {
        try await withSchool { school in
            try school.addTerms()
            let grader = try await Grader(school)
            let scale: JSONValue = [
                "scoreScale": [
                    "title": "Marks", "type": "ordinal", "class": ["sourcedId": "class-Biology"],
                    "scoreScaleValue": [["itemValueLHS": "1", "itemValueRHS": "best"]],
                ]
            ]
            let made = try await grader.send("PUT", "scoreScales/marks", scale)
            try #require(made.status == 201, "\(made.text)")
            let session: (String, JSONValue) = ("gradingPeriod", ["sourcedId": "autumn"])
            let item = try await grader.putItem("quiz", [session])
            try #require(item.status == 201, "\(item.text)")
            try #require(try await grader.putResult("sams").status == 201)
            func read() async throws -> JSONValue? {
                try await grader.get(path).json.object?.members.first?.value
            }
            let before = try #require(try await read())
            try school.sql(renaming(table, in: school))
            let after = try #require(try await read())
            #expect(after != before, "it names the id")
            let times = [after, before].compactMap { $0["dateLastModified"]?.text }
            #expect(times.count == 2 && times[0] > times[1])
        }
    }
}
