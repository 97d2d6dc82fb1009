import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// A seat with an end on a later day lasts until then, whatever archives arrive meanwhile.
@Suite struct DatedSeats {
    @Test func `a listed person who leaves later keeps the seat and its end`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            try school.endLater("S2", in: "K2")
            let before = try school.fingerprint()
            let again = try await school.importArchive(.small)
            #expect(again.counts("rosters.csv") == [0, 0, 13, 0])
            #expect(try school.fingerprint() == before)
            let found = try await school.get("/v1/checks", as: .ada)
            let codes = (found.json["findings"]?.array ?? []).compactMap { $0["code"]?.text }
            #expect(!codes.contains("seats_overlap"))
        }
    }

    @Test func `a teacher who leaves later keeps the seat and its end`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            try school.endLater("T2", in: "K1")
            let before = try school.fingerprint()
            let again = try await school.importArchive(.small)
            #expect(again.counts("classes.csv") == [0, 0, 2, 0])
            #expect(try school.fingerprint() == before)
        }
    }

    @Test func `a person who is left out leaves now, and not on the day that was set`() async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            try school.endLater("S11", in: "K1")
            let outcome = try await school.importArchive(
                TestArchive.small.replacing("R11,K1,S11\n", with: "", in: "rosters.csv"))
            #expect(outcome.status == "succeeded")
            #expect(outcome.counts("rosters.csv") == [0, 0, 12, 1])
            #expect(try school.stays(of: "S11", in: "K1", "left_at <= now()") == 1)
            #expect(try school.stays(of: "S11", in: "K1", "left_at > now()") == 0)
        }
    }

    @Test func `a new id of the enrolment is recorded`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            try school.endLater("S2", in: "K2")
            let outcome = try await school.importArchive(
                TestArchive.small.replacing("R13,K2,S2", with: "R99,K2,S2", in: "rosters.csv"))
            #expect(outcome.counts("rosters.csv") == [0, 1, 12, 0])
            #expect(try school.stays(of: "S2", in: "K2", "s.source_id = 'R99'") == 1)
            #expect(try school.stays(of: "S2", in: "K2", "true") == 1)
        }
    }
}

extension TestSchool {
    /// Set manually: in a week from now.
    fileprivate func endLater(_ person: String, in schoolClass: String) throws {
        let changed = try sql(
            """
            update school.seat as s set left_at = date_trunc('milliseconds', now()) + interval '7 days'
              from school.person as p, school.class as c
             where p.person_id = s.person_id and p.source_id = \(person)
               and c.class_id = s.class_id and c.source_id = \(schoolClass)
            """)
        #expect(changed.affected == 1)
    }

    /// How many stays a person has in a class that meet a condition.
    fileprivate func stays(
        of person: String, in schoolClass: String, _ condition: Statement
    ) throws -> Int {
        try sql(
            """
            select count(*) as n
              from school.seat as s join school.person as p using (organization_id, person_id)
              join school.class as c using (organization_id, class_id)
             where p.source_id = \(person) and c.source_id = \(schoolClass) and \(fragment: condition)
            """)[0].int("n")
    }
}
