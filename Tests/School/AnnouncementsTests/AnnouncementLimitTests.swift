import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct AnnouncementLimit {
    @Test func `two posts at once never make more than 1,000 announcements`() async throws {
        try await withSchool { school in
            try school.fill(TestIDs.biology, 998)
            let answers = await withTaskGroup(of: Answer?.self) { calls in
                for number in 0..<8 {
                    calls.addTask { try? await school.announce("\(number)", as: .tom) }
                }
                return await calls.reduce(into: [Answer]()) { all, answer in
                    if let answer { all.append(answer) }
                }
            }
            #expect(answers.count == 8)
            #expect(answers.count { $0.status == 201 } == 2)
            let refused = answers.filter { $0.status != 201 }
            #expect(refused.allSatisfy { $0.status == 409 && $0.code == "too_many_announcements" })
            #expect(try school.count(TestIDs.biology) == 1000)
        }
    }

    @Test func `a class that has 1,000 takes another one once one is removed`() async throws {
        try await withSchool { school in
            try school.fill(TestIDs.biology, 999)
            let last = try await school.announce("The last.", as: .tom)
            let path = try #require(last.header("location"))
            #expect(try await school.announce("More.", as: .tom).code == "too_many_announcements")
            let changed = try await school.patch(path, as: .tom, json: ["text": "Still the last."])
            #expect(changed.status == 200)
            #expect(try await school.delete(path, as: .tom).status == 204)
            #expect(try await school.announce("More.", as: .tom).status == 201)
        }
    }

    @Test func `an announcement does not move to a class that has 1,000`() async throws {
        try await withSchool { school in
            try school.teachChemistry()
            try school.fill(TestIDs.chemistry, 1000)
            let posted = try await school.announce("On Monday.", as: .tom)
            let moved = try await school.patch(
                try #require(posted.header("location")), as: .tom,
                json: ["classId": .text(TestIDs.chemistry.uuid.description)])
            #expect(moved.status == 409 && moved.code == "too_many_announcements")
            #expect(try school.count(TestIDs.chemistry) == 1000)
        }
    }
}

extension TestSchool {
    /// Makes Tom a teacher of Chemistry, too.
    func teachChemistry() throws {
        try sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role)
            values (\(hillside), \(TestIDs.chemistry), \(id(.tom)), 'teacher')
            """)
    }

    /// Gives a class that many announcements, past the calls.
    fileprivate func fill(_ group: ClassID, _ count: Int) throws {
        try sql(
            """
            insert into school.announcement (organization_id, announcement_id, class_id, text)
            select \(hillside), school.new_id(), \(group), 'x' from generate_series(1, \(count))
            """)
    }

    fileprivate func count(_ group: ClassID) throws -> Int {
        try sql("select count(*) as n from school.announcement where class_id = \(group)")[0]
            .int("n")
    }
}
