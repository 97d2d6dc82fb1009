import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What is deleted from imports in time.
@Suite struct ImportUpkeep {
    @Test func `plans, failures and archives that nobody approved are deleted after thirty days`()
        async throws
    {
        try await withSchool { school in
            let plan = try await school.importArchive(.small, mode: "preview")
            let failure = try await school.importArchive(
                TestArchive.small.adding("L3,", to: "locations.csv"), strict: true)
            let done = try await school.importArchive(.small)
            let waiting = try await school.importArchive(.withoutClasses)
            #expect(waiting.status == "awaitingApproval")
            #expect(try school.removeOutdated() == false)
            for outcome in [plan, failure, done, waiting] {
                #expect(try await school.get(outcome.location, as: .ada).status == 200)
            }

            try school.sql(
                """
                update school.import set finished_at = finished_at - interval '31 days'
                """)
            #expect(try school.removeOutdated() == false)
            #expect(try await school.get(plan.location, as: .ada).status == 404)
            #expect(try await school.get(failure.location, as: .ada).status == 404)
            let kept = try await school.get(done.location, as: .ada)
            #expect(kept.json.counts("students.csv") == [11, 0, 0, 0], "the counts stay")
            let rows = try await school.get("\(done.location)/changes", as: .ada)
            #expect(rows.json["items"] == [])
            let expired = try await school.get(waiting.location, as: .ada)
            #expect(expired.json.status == "failed")
            #expect(expired.json.errorLines == ["-:-:- approval_expired"])
            let pieces = try school.sql("select from school.import_archive")
            #expect(pieces.count == 0)
            let approval = try await school.post("\(waiting.location)/approval", as: .ada)
            #expect(approval.status == 409)
        }
    }
}

/// The rows of a plan.
@Suite struct ImportRows {
    @Test func `a plan is listed row by row, removals first`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let archive = TestArchive.withoutClasses
                .replacing("T2,,Alan,M,Turing,", with: "T2,7,Alan,,Turing,", in: "staff.csv")
                .adding("S12,,Ann,,Lee,,,,,L1", to: "students.csv")
            let plan = try await school.importArchive(archive, mode: "preview")
            #expect(plan.status == "planned")
            let all = try await school.changes(of: plan)
            #expect(
                all.prefix(4) == [
                    "students.csv created S12:13 ",
                    "staff.csv changed T2:3 middleName,personNumber,roles",
                    "classes.csv removed K2:- ", "rosters.csv removed R12:- ",
                ])
            #expect(all.count == 5)
            #expect(
                try await school.changes(of: plan, "?file=rosters.csv&change=removed").count == 2)
            #expect(try await school.changes(of: plan, "?change=created").count == 1)

            let first = try await school.get("\(plan.location)/changes?limit=2", as: .ada)
            let token = try #require(first.json["nextPageToken"]?.text)
            let second = try await school.get(
                "\(plan.location)/changes?limit=2&pageToken=\(token)", as: .ada)
            #expect(second.json["items"]?.array?.first?["sourceId"]?.text == "K2")
            let seat = try await school.get("\(plan.location)/changes?file=rosters.csv", as: .ada)
            let classes = seat.json["items"]?.array?.map { $0["classSourceId"]?.text }
            #expect(classes == ["K2", "K2"])
        }
    }

    @Test func `nobody else reads the rows of a plan`() async throws {
        try await withSchool { school in
            let plan = try await school.importArchive(.small, mode: "preview")
            #expect(try await school.changes(of: plan).count == 31)
            for persona in [Persona.mara, .tom, .sam, .exporter] {
                let answer = try await school.get("\(plan.location)/changes", as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            #expect(try await school.get("\(plan.location)/changes", as: .olga).status == 404)
        }
    }

    @Test func `an archive of changes is listed the same way`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let plan = try await school.importArchive(
                .delta([
                    "users": ["-S11,,,,,,,,,,,,,,,,,"],
                    "orgs": ["L2,,,Southern School,school,,D1"],
                    "academicSessions": ["Z1,,,Winter,term,2025-08-01,2026-01-31,Y1,2026"],
                    "classes": ["K1,,,Algebra,,C1,MA-1-A,scheduled,14,L1,Y1,,,"],
                    "enrollments": ["R17,,,K2,L2,T1,teacher,,,"],
                ]), mode: "preview")
            #expect(plan.errorLines == [])
            #expect(
                try await school.changes(of: plan) == [
                    "academicSessions.csv changed Z1:2 name", "orgs.csv changed L2:2 name",
                    "users.csv removed S11:- ", "classes.csv changed K1:2 name,room,termId",
                    "enrollments.csv removed R11:- ", "enrollments.csv created R17:2 ",
                ])
        }
    }
}

extension JSONValue {
    /// Where an import is found.
    var location: String { "/v1/imports/\(self["id"]?.text ?? "")" }
}

extension TestArchive {
    fileprivate static let withoutClasses =
        small
        .replacing("K2,MA-1-B,C1,T2,,,L2\n", with: "", in: "classes.csv")
        .replacing("R12,K2,S1\nR13,K2,S2\n", with: "", in: "rosters.csv")
}

extension TestSchool {
    /// The rows of a plan as `file change id:line fields`.
    fileprivate func changes(of plan: JSONValue, _ query: String = "") async throws -> [String] {
        let answer = try await get("\(plan.location)/changes\(query)", as: .ada)
        #expect(answer.status == 200)
        return (answer.json["items"]?.array ?? []).map { row in
            let fields = row["fields"]?.array?.compactMap(\.text).joined(separator: ",") ?? ""
            let line = row["line"]?.int64.map { String($0) } ?? "-"
            return "\(row["file"]?.text ?? "") \(row["change"]?.text ?? "") "
                + "\(row["sourceId"]?.text ?? "-"):\(line) \(fields)"
        }
    }
}
