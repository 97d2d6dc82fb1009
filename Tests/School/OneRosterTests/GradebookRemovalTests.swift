import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What becomes of the gradebook when a part of it is removed.
@Suite struct GradebookRemovalTests {
    @Test func `what is removed leaves the collection and stays for those who ask what changed`()
        async throws
    {
        try await withSchool { school in
            let grader = try await Grader(school)
            _ = try await grader.putItem("quiz")
            _ = try await grader.putResult(
                "sams", [("score", 1), ("scoreStatus", "submitted"), ("comment", "weak")])
            #expect(try await grader.send("DELETE", "results/sams").status == 204)
            #expect(try await grader.send("DELETE", "results/sams").status == 404)
            #expect(try await grader.ids("results") == [])
            #expect(try await grader.ids("results?filter=status%3D'tobedeleted'") == ["sams"])
            let gone = try await grader.get("results/sams").json["result"]
            #expect(
                gone?["status"] == "tobedeleted" && gone?["score"] == nil && gone?["comment"] == nil
            )
            #expect(try await grader.putResult("sams").status == 201)
            #expect(try await grader.ids("results") == ["sams"])
            #expect(try await grader.send("DELETE", "lineItems/quiz").status == 204)
            #expect(try await grader.ids("lineItems") == [])
            #expect(try await grader.ids("results") == [], "with its line item")
        }
    }

    @Test func `what is written as removed is removed with what depends on it`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            _ = try await grader.putItem("quiz")
            let removed: [(String, JSONValue)] = [("status", "tobedeleted")]
            let scored: [(String, JSONValue)] = [
                ("score", 1), ("scoreStatus", "submitted"), ("comment", "weak"),
                ("late", "true"), ("incomplete", "true"),
            ]
            _ = try await grader.putResult("sams", scored)
            #expect(try await grader.putResult("sams", scored + removed).status == 201)
            #expect(try await grader.ids("results") == [])
            let sams = try await grader.get("results/sams").json["result"]
            #expect(sams?["status"] == "tobedeleted")
            #expect(sams?["score"] == nil && sams?["comment"] == nil)
            #expect(sams?["late"] == nil && sams?["incomplete"] == nil)
            #expect(sams?["scoreStatus"] == "not submitted", "which the standard requires")
            #expect(sams?["scoreDate"] != "2026-09-09" && sams?["scoreDate"] != nil)
            #expect(try await grader.putResult("sams", scored).status == 201)
            #expect(try await grader.ids("results") == ["sams"], "as it was written last")

            #expect(try await grader.putItem("quiz", removed).status == 201)
            #expect(try await grader.ids("lineItems") == [])
            #expect(try await grader.ids("results") == [], "with its line item")
            let orphan = try await grader.get("results/sams").json["result"]
            #expect(orphan?["score"] == nil && orphan?["comment"] == nil)
            #expect(try await grader.putItem("never", removed).status == 201)
            let gone = "lineItems?filter=status%3D'tobedeleted'"
            #expect(Set(try await grader.ids(gone)) == ["quiz", "never"])
            let posted = try await grader.send(
                "POST", "classes/class-Biology/lineItems",
                [
                    "lineItems": [
                        [
                            "sourcedId": "mine", "title": "Quiz", "status": "tobedeleted",
                            "class": ["sourcedId": "class-Biology"],
                        ]
                    ]
                ])
            #expect(posted.status == 201, "\(posted.text)")
            #expect(try await grader.ids("lineItems") == [])
            #expect(try await grader.ids(gone).count == 3)
        }
    }

    @Test(arguments: ["DELETE", "PUT"])
    func `line items and results change when what they refer to is removed`(
        way: String
    ) async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            let group: JSONValue = ["sourcedId": "class-Biology"]
            func category(_ status: JSONValue) -> JSONValue {
                ["category": ["title": "Oral", "status": status]]
            }
            func scale(_ status: JSONValue) -> JSONValue {
                [
                    "scoreScale": [
                        "title": "Marks", "type": "marks", "class": group, "status": status,
                        "scoreScaleValue": [["itemValueLHS": "1", "itemValueRHS": "best"]],
                    ]
                ]
            }
            for (path, body) in [
                ("categories/oral", category("active")), ("scoreScales/marks", scale("active")),
            ] {
                let made = try await grader.send("PUT", path, body)
                try #require(made.status == 201, "\(made.text)")
            }
            let marks: (String, JSONValue) = ("scoreScale", ["sourcedId": "marks"])
            _ = try await grader.putItem(
                "quiz", [("category", ["sourcedId": "oral"]), marks])
            _ = try await grader.putResult(
                "sams", [("score", 1), ("scoreStatus", "submitted"), marks])
            func read(_ path: String, _ name: String) async throws -> JSONValue? {
                try await grader.get(path).json[name]
            }
            var item = try await read("lineItems/quiz", "lineItem")
            let result = try await read("results/sams", "result")
            #expect(item?["category"]?["sourcedId"] == "oral")
            #expect(result?["scoreScale"]?["sourcedId"] == "marks")
            for (path, body) in [
                ("categories/oral", category("tobedeleted")),
                ("scoreScales/marks", scale("tobedeleted")),
            ] {
                let gone =
                    way == "PUT"
                    ? try await grader.send("PUT", path, body)
                    : try await grader.send("DELETE", path)
                #expect(gone.status < 300, "\(gone.text)")
                let after = try await read("lineItems/quiz", "lineItem")
                let times = [after, item].compactMap { $0?["dateLastModified"]?.text }
                #expect(times.count == 2 && times[0] > times[1])
                item = after
            }
            #expect(item?["category"]?["sourcedId"] == "default-category")
            #expect(item?["scoreScale"] == nil)
            let graded = try await read("results/sams", "result")
            #expect(graded?["scoreScale"] == nil && graded?["score"]?.double == 1)
            let times = [graded, result].compactMap { $0?["dateLastModified"]?.text }
            #expect(times.count == 2 && times[0] > times[1])
        }
    }
}
