import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct SizesOfClasses {
    @Test func `the organization sets how many students a class may hold`() async throws {
        try await withSchool { school in
            let now = try await school.get("/v1/organization", as: .ada)
            #expect(now.json["classSizeLimits"] == ["students": 500, "teachers": 15])
            let smaller = try await school.limit(students: 3)
            #expect(smaller.json["classSizeLimits"] == ["students": 3, "teachers": 15])
            for wrong: JSONValue in [["students": 0], ["teachers": 5001], ["pupils": 3], 3] {
                let answer = try await school.patch(
                    "/v1/organization", as: .ada, json: ["classSizeLimits": wrong])
                #expect(answer.status == 422)
            }
            let manager = try await school.patch(
                "/v1/organization", as: .mara, json: ["classSizeLimits": ["students": 9]])
            #expect(manager.status == 403)
        }
    }

    @Test func `nobody joins a class that is full, by any call`() async throws {
        try await withSchool { school in
            _ = try await school.limit(students: 2)
            let path = "/v1/classes/\(school.biology.uuid)"
            let seat = try await school.put("\(path)/students/source:sis-ben", as: .ada)
            #expect(seat.status == 409)
            #expect(seat.code == "class_full")
            #expect(seat.text("detail")?.contains("at most 2 students") == true)
            #expect(seat.text("detail")?.contains(school.biology.uuid.description) == true)
            let three: JSONValue = ["source:sis-ben", "source:sis-sam", "source:sis-sue"]
            let roster = try await school.put(
                "\(path)/students", as: .ada, json: ["personIds": three])
            #expect(roster.code == "class_full")
            let group: JSONValue = [
                "name": "Biology", "locationId": "source:main", "studentIds": three,
            ]
            #expect(try await school.put(path, as: .ada, json: group).code == "class_full")
            #expect(
                try await school.post("/v1/classes", as: .ada, json: group).code == "class_full")
            let later = try await school.put(
                "\(path)/students/source:sis-ben", as: .ada, json: ["joinedOn": school.day(9)])
            #expect(later.code == "class_full", "seats that begin later count")
            let past = try await school.put(
                "\(path)/students/source:sis-ben", as: .ada,
                json: ["joinedOn": school.day(-9), "leftOn": school.day(-8)])
            #expect(past.status == 201, "seats that are over do not")
            let swapped = try await school.put(
                "\(path)/students", as: .ada,
                json: ["personIds": ["source:sis-ben", "source:sis-sam"]])
            #expect(swapped.status == 200)
        }
    }

    @Test func `a class that was already larger stays, and nobody joins it`() async throws {
        try await withSchool { school in
            _ = try await school.limit(students: 1)
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let both: JSONValue = ["personIds": ["source:sis-sam", "source:sis-sue"]]
            #expect(try await school.put(path, as: .ada, json: both).status == 200)
            #expect(try await school.put("\(path)/source:sis-ben", as: .ada).status == 409)
            let teacher = try await school.put(
                "/v1/classes/\(school.biology.uuid)/teachers/source:sis-tess", as: .ada)
            #expect(teacher.status == 201, "teachers are counted separately")
            #expect(try await school.delete("\(path)/source:sis-sam", as: .ada).status == 204)
            #expect(try await school.put("\(path)/source:sis-ben", as: .ada).status == 409)
            #expect(try await school.delete("\(path)/source:sis-sue", as: .ada).status == 204)
            #expect(try await school.put("\(path)/source:sis-ben", as: .ada).status == 201)
        }
    }

    @Test func `a batch leaves a class that was already larger as it is, and nobody joins it`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.limit(students: 1)
            func send(_ students: JSONValue) async throws -> Answer {
                try await school.post(
                    "/v1/classes/batch", as: .ada,
                    json: items([
                        [
                            "sourceId": "class-Biology", "name": "Biology",
                            "locationId": "source:main", "studentIds": students,
                        ]
                    ]))
            }
            let same = try await send(["source:sis-sam", "source:sis-sue"])
            #expect(same.outcomes == ["unchanged"])
            let joined = try await send(["source:sis-sam", "source:sis-ben"])
            #expect(joined.outcomes == ["problem"])
            #expect(joined.items.first?["errors"]?[0]?["code"] == "class_full")
            #expect(try await send(["source:sis-sam"]).outcomes == ["updated"])
        }
    }

    @Test func `the last seat is taken once, however many ask at once`() async throws {
        try await withSchool { school in
            _ = try await school.limit(students: 3)
            let people = try await school.addStudents(12)
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for person in people {
                    group.addTask {
                        try await school.served {
                            try await school.put("\(path)/\(person)", as: .ada)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 201 }.count == 1)
            #expect(answers.filter { $0.code == "class_full" }.count == 11)
            #expect(try await school.get(path, as: .ada).items.count == 3)
        }
    }

    @Test func `two concurrent statements do not fill a class beyond its limit either`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.limit(students: 10)
            let people = try await school.addStudents(16)
            let outcomes = try await withThrowingTaskGroup(of: Int.self) { group in
                for half in [people.prefix(8), people.suffix(8)] {
                    let sent = half.map { person -> JSONValue in
                        [
                            "classId": "source:class-Biology", "personId": .text(person),
                            "role": "student",
                        ]
                    }
                    group.addTask {
                        try await school.served {
                            try await school.post("/v1/rosters/batch", as: .ada, json: items(sent))
                        }.outcomes.filter { $0 == "created" }.count
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.reduce(0, +) == 8)
            #expect(outcomes.max() == 8)
        }
    }
}

extension TestSchool {
    /// Sets how many students a class may hold.
    func limit(students: Int) async throws -> Answer {
        try await patch(
            "/v1/organization", as: .ada,
            json: ["classSizeLimits": ["students": .number(JSONNumber(Int64(students)))]])
    }

    /// Students of the main location; their ids.
    func addStudents(_ count: Int) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<count {
            let made = try await post("/v1/people", as: .ada, json: student("S\(number)", "Test"))
            ids.append(made.text("id") ?? "")
        }
        return ids
    }
}
