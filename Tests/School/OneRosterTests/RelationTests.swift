import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// The time of an object moves when only a relation of it changes. Clients that ask what changed would miss that.
@Suite struct RelationTests {
    private struct Change {
        let statement: Statement
        /// Whose relation it changes.
        let paths: [String]
    }

    private func modified(
        _ path: String, in edition: Edition, _ school: TestSchool
    ) async throws -> String {
        let answer = try await school.roster(path, in: edition)
        let object = answer.json.object?.members.first?.value
        return try #require(object?["dateLastModified"]?.text, "\(path): \(answer.text)")
    }

    private func prove(_ changes: [Change], in school: TestSchool) async throws {
        for change in changes {
            var before: [String] = []
            for edition in Edition.allCases {
                for path in change.paths {
                    before.append(try await modified(path, in: edition, school))
                }
            }
            try school.sql(change.statement)
            for edition in Edition.allCases {
                for path in change.paths {
                    let earlier = before.removeFirst()
                    let after = try await modified(path, in: edition, school)
                    #expect(after > earlier, "\(path) after \(change.statement)")
                }
            }
        }
    }

    @Test func `that of people, classes and enrollments`() async throws {
        try await withSchool { school in
            try school.addTerms()
            let (sam, biology) = (school.id(.sam), school.biology)
            let seat = "enrollments/\(biology.uuid)_\(sam.uuid)_student"
            try await prove(
                [
                    Change(
                        statement: """
                            insert into school.person_role (organization_id, person_id, location_id, role)
                            values (\(school.hillside), \(sam), \(school.mainLocation), 'staff')
                            """, paths: ["users/sis-sam"]),
                    Change(
                        statement:
                            "delete from school.person_role where person_id = \(sam) and role = 'staff'",
                        paths: ["users/sis-sam"]),
                    Change(
                        statement: """
                            update school.class set term_id = (select term_id from school.term where source_id = 'year')
                             where class_id = \(biology)
                            """, paths: ["classes/class-Biology", seat]),
                    Change(
                        statement:
                            "update school.class set course_id = null where class_id = \(biology)",
                        paths: ["classes/class-Biology"]),
                    Change(
                        statement: """
                            update school.seat set left_at = now() + interval '1 day'
                             where person_id = \(sam) and class_id = \(biology)
                            """, paths: ["classes/class-Biology", seat]),
                    Change(
                        statement:
                            "update school.person set source_id = 'new' where person_id = \(sam)",
                        paths: [seat]),
                ], in: school)
        }
    }

    @Test func `that of schools and their district`() async throws {
        try await withSchool { school in
            try school.addTerms()
            let district = "orgs/\(school.hillside.uuid)"
            try await prove(
                [
                    Change(
                        statement: """
                            insert into school.location (organization_id, location_id, name, source_id)
                            values (\(school.hillside), gen_random_uuid(), 'Annex', 'annex')
                            """, paths: [district]),
                    Change(
                        statement:
                            "update school.location set source_id = 'north' where source_id = 'annex'",
                        paths: [district]),
                    Change(
                        statement: "delete from school.location where source_id = 'north'",
                        paths: [district]),
                ], in: school)
        }
    }

    @Test func `that of academic sessions`() async throws {
        try await withSchool { school in
            try school.addTerms()
            let (year, autumn, marks) = (
                "academicSessions/year", "academicSessions/autumn", "academicSessions/marks"
            )
            try await prove(
                [
                    Change(
                        statement: """
                            insert into school.term (organization_id, term_id, source_id, parent_id, name, kind, starts_on,
                                                     ends_on)
                            select organization_id, gen_random_uuid(), 'spring', term_id, 'Spring', 'semester',
                                   '2027-02-01', '2027-07-01'
                              from school.term where source_id = 'year'
                            """, paths: [year]),
                    Change(
                        statement: """
                            update school.term set parent_id = (select term_id from school.term where source_id = 'autumn')
                             where source_id = 'marks'
                            """, paths: [year, autumn, marks]),
                    Change(
                        statement: "delete from school.term where source_id = 'marks'",
                        paths: [autumn]),
                    // The school year is named after its end.
                    Change(
                        statement:
                            "update school.term set ends_on = '2027-07-15' where source_id = 'year'",
                        paths: [year, autumn]),
                    Change(
                        statement: "delete from school.term where source_id = 'spring'",
                        paths: [year]),
                ], in: school)
        }
    }
}
