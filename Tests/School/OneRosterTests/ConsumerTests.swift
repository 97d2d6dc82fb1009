import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What consumers ask of both editions, by the paths and parameters that they use.
@Suite struct ConsumerTests {
    /// What is below a parent in a school with terms.
    private struct Children {
        let path: String
        /// The member of each object that says which one it is.
        var key = ["sourcedId"]
        let found: [String]

        func fits(_ nested: NestedCollection) -> Bool {
            let own = path.split(separator: "/")
            let wanted = nested.path.split(separator: "/")
            return own.count == wanted.count
                && zip(own, wanted).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
        }

        /// The path with each of its parents in turn replaced by one that does not exist.
        func orphaned(_ nested: NestedCollection) -> [String] {
            let own = path.split(separator: "/").map(String.init)
            let wanted = nested.path.split(separator: "/")
            return wanted.indices.filter { wanted[$0].hasPrefix("{") }.map { index in
                var path = own
                path[index] = "nobody"
                return path.joined(separator: "/")
            }
        }
    }

    private static let children = [
        Children(path: "classes/class-Biology/students", found: ["sis-sam", "sis-sue"]),
        Children(path: "classes/class-Biology/teachers", found: ["sis-cora", "sis-tom"]),
        Children(path: "courses/science/classes", found: ["class-Biology"]),
        Children(path: "schools/main/classes", found: ["class-Biology", "class-Chemistry"]),
        Children(
            path: "schools/main/classes/class-Biology/enrollments", key: ["user", "sourcedId"],
            found: ["sis-cora", "sis-sam", "sis-sue", "sis-tom"]),
        Children(
            path: "schools/main/classes/class-Biology/students", found: ["sis-sam", "sis-sue"]),
        Children(
            path: "schools/main/classes/class-Biology/teachers", found: ["sis-cora", "sis-tom"]),
        Children(path: "schools/main/courses", key: ["title"], found: ["Chemistry", "Science"]),
        Children(
            path: "schools/main/enrollments", key: ["user", "sourcedId"],
            found: ["sis-ben", "sis-cora", "sis-sam", "sis-sue", "sis-tess", "sis-tom"]),
        Children(path: "schools/main/students", found: ["sis-ben", "sis-sam", "sis-sue"]),
        Children(path: "schools/main/teachers", found: ["sis-cora", "sis-tess", "sis-tom"]),
        Children(path: "schools/main/terms", found: ["autumn", "homeroom-year", "year"]),
        Children(path: "students/sis-sam/classes", found: ["class-Biology"]),
        Children(path: "teachers/sis-tess/classes", found: ["class-Chemistry"]),
        Children(path: "users/sis-tom/classes", found: ["class-Biology"]),
        Children(path: "terms/autumn/classes", found: ["class-Biology"]),
        Children(path: "terms/year/gradingPeriods", found: ["marks"]),
    ]

    @Test(arguments: Edition.allCases)
    func `below a known parent is what belongs to it, and below an unknown one nothing`(
        edition: Edition
    ) async throws {
        try await withSchool { school in
            try school.addTerms()
            for nested in NestedCollection.all {
                let children = try #require(
                    Self.children.first { $0.fits(nested) }, "\(nested.path)")
                let known = try await school.roster(children.path, in: edition)
                let objects = known.json.object?.members.first?.value.array ?? []
                let names = objects.compactMap { object in
                    children.key.reduce(object as JSONValue?) { $0?[$1] }?.text
                }
                #expect(names.sorted() == children.found, "\(children.path): \(known.text)")
                #expect(known.header("X-Total-Count") == String(children.found.count))
                for path in children.orphaned(nested) {
                    let unknown = try await school.roster(path, in: edition)
                    #expect(unknown.status == 200, "\(path): \(unknown.text)")
                    #expect(unknown.json.object?.members.first?.value == [], "\(path)")
                    #expect(unknown.header("X-Total-Count") == "0", "\(path)")
                }
            }
        }
    }

    @Test(arguments: Edition.allCases)
    func `Moodle reads pages of 200 by family name`(edition: Edition) async throws {
        try await withSchool { school in
            try school.sql(
                "update school.person set family_name = 'Aaa' where person_id = \(school.id(.sue))")
            for path in [
                "students", "schools/main/students", "classes/class-Biology/students",
                "schools/main/classes/class-Biology/students",
            ] {
                let ids = try await school.ids("\(path)?limit=200&sort=familyName", in: edition)
                #expect(ids.first == "sis-sue" && ids.last == "sis-sam", "\(path)")
            }
            // It sends the same of collections without that field.
            let classes = "schools/main/classes?limit=200&sort=familyName"
            #expect(
                try await school.ids(classes, in: edition) == ["class-Biology", "class-Chemistry"])
        }
    }

    @Test(arguments: ["email='tom@hillside.example'", "email%3D%27tom@hillside.example%27"])
    func `Google finds a teacher by mail`(filter: String) async throws {
        try await withSchool { school in
            for edition in Edition.allCases {
                let query = "filter=\(filter)&limit=10000"
                let teachers = try await school.ids("teachers?\(query)", in: edition)
                #expect(teachers == ["sis-tom"])
                let students = try await school.ids("students?\(query)", in: edition)
                #expect(students == [])
            }
        }
    }

    @Test func `each org of a user of 1.1 is named with its type`() async throws {
        try await withSchool { school in
            let users = try await school.roster("users?limit=200", in: .v1p1).json["users"]?.array
            #expect((users?.count ?? 0) > 5)
            for user in users ?? [] {
                let orgs = user["orgs"]?.array ?? []
                #expect(!orgs.isEmpty, "\(user)")
                for org in orgs {
                    let id = org["sourcedId"]?.text ?? ""
                    #expect(org["type"] == "org", "\(user)")
                    #expect(
                        org["href"]?.text?.hasSuffix("/ims/oneroster/v1p1/orgs/\(id)") == true)
                }
            }
        }
    }

    @Test func `a line item and a result that are put over 1.1 are read there`() async throws {
        try await withSchool { school in
            try school.addTerms()
            let grader = try await Grader(school)
            let item: JSONValue = [
                "sourcedId": "quiz", "title": "Quiz", "class": ["sourcedId": "class-Biology"],
                "category": ["sourcedId": "default-category"],
                "gradingPeriod": ["sourcedId": "marks"], "assignDate": "2026-09-01T08:00:00.000Z",
                "dueDate": "2026-09-08T08:00:00.000Z", "resultValueMin": 0, "resultValueMax": 100,
            ]
            let put = try await grader.send(
                "PUT", "lineItems/quiz", ["lineItem": item], in: .v1p1)
            #expect(put.status == 201, "\(put.text)")
            let read = try await grader.get("lineItems/quiz", in: .v1p1).json["lineItem"]
            #expect(read?["gradingPeriod"]?["sourcedId"] == "marks")
            #expect(read?["gradingPeriod"]?["type"] == "academicSession")
            #expect(read?["academicSession"] == nil && read?["resultValueMax"]?.double == 100)
            let result: JSONValue = [
                "lineItem": ["sourcedId": "quiz"], "student": ["sourcedId": "sis-sam"],
                "scoreStatus": "fully graded", "score": 84.5, "scoreDate": "2026-09-09",
            ]
            let graded = try await grader.send(
                "PUT", "results/sams", ["result": result], in: .v1p1)
            #expect(graded.status == 201, "\(graded.text)")
            let back = try await grader.get("results/sams", in: .v1p1).json["result"]
            #expect(back?["score"]?.double == 84.5 && back?["class"] == nil)
            let path = "classes/class-Biology/students/sis-sam/results"
            #expect(try await grader.ids(path, in: .v1p1) == ["sams"])
        }
    }

    @Test func `a task is in the term of its class, if that has one`() async throws {
        try await withSchool { school in
            let task = try school.newHandout().task.uuid.description
            let grader = try await Grader(
                school, grants: [["locationId": "source:main", "readsResults": true]])
            let before = try await grader.get("lineItems/\(task)", in: .v1p1).json["lineItem"]
            #expect(before?["title"] == "Cells: Check" && before?["gradingPeriod"] == nil)
            try school.addTerms()
            for (edition, name) in [(Edition.v1p1, "gradingPeriod"), (.v1p2, "academicSession")] {
                let item = try await grader.get("lineItems/\(task)", in: edition).json["lineItem"]
                #expect(item?[name]?["sourcedId"] == "autumn")
                #expect(item?["dateLastModified"] != before?["dateLastModified"])
            }
        }
    }
}
