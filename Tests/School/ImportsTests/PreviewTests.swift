import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// A preview is applied as shown, or not at all.
@Suite struct Previews {
    @Test func `an approved preview is applied`() async throws {
        try await withSchool { school in
            let before = try school.fingerprint()
            let preview = try await school.importArchive(.small, mode: "preview")
            #expect(preview.status == "planned")
            #expect(try school.fingerprint() == before)
            let approval = try await school.post("\(preview.location)/approval", as: .petra)
            #expect(approval.status == 202)
            let done = try await school.ended(preview.location)
            #expect(done.status == "succeeded")
            #expect(done["mode"] == "apply")
            #expect(done.counts("students.csv") == [11, 0, 0, 0])
            #expect(try school.seats(of: "S1") == "student in K1, student in K2")
            let again = try await school.post("\(preview.location)/approval", as: .petra)
            #expect(again.code == "approval_not_awaited")
        }
    }

    @Test func `a preview that would remove much needs no second approval`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let preview = try await school.importArchive(.withoutSecondClass, mode: "preview")
            #expect(preview.status == "planned" && preview["removesMuch"] == true)
            #expect(
                preview["removals"] == [
                    ["kind": "people", "removed": 0, "present": 13],
                    ["kind": "classes", "removed": 1, "present": 2],
                    ["kind": "seats", "removed": 3, "present": 22],
                ])
            #expect(try await school.waitingImports() == 1)
            #expect(try await school.post("\(preview.location)/approval", as: .ada).status == 202)
            let done = try await school.ended(preview.location)
            #expect(done.status == "succeeded")
            #expect(try await school.waitingImports() == 0, "it is decided")
        }
    }

    @Test func `a preview that removes little says so, and waits for nobody`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let preview = try await school.importArchive(.withoutEleventhStudent, mode: "preview")
            #expect(preview.status == "planned" && preview["removesMuch"] == false)
            #expect(preview["removals"]?[0]?["removed"] == 1)
            #expect(try await school.waitingImports() == 0)
        }
    }

    @Test func `a better archive takes the place of a preview that would remove much`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            _ = try await school.importArchive(.withoutSecondClass, mode: "preview")
            #expect(try await school.waitingImports() == 1)
            _ = try await school.importArchive(.small, mode: "preview")
            #expect(try await school.waitingImports() == 0)
        }
    }

    private static let changes: [Statement] = [
        "update school.person set given_name = 'Other' where source_id = 'S1'",
        "update school.seat set left_at = now() where source_id = 'R12'",
    ]

    @Test(arguments: changes)
    func `where the directory changed, the new plan is shown and nothing applied`(
        change: Statement
    ) async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let archive = TestArchive.small.adding("S12,,Ann,,Lee,,,,,L1", to: "students.csv")
            let preview = try await school.importArchive(archive, mode: "preview")
            #expect(preview.counts("students.csv") == [1, 0, 11, 0])
            try school.sql(change)
            let before = try school.fingerprint()
            _ = try await school.post("\(preview.location)/approval", as: .ada)
            let outcome = try await school.ended(preview.location)
            #expect(outcome.status == "planned")
            #expect(outcome["mode"] == "preview")
            #expect(outcome["warnings"]?.array?.map { $0["code"] } == ["directory_changed"])
            #expect(try school.fingerprint() == before)
            _ = try await school.post("\(preview.location)/approval", as: .ada)
            let applied = try await school.ended(preview.location)
            #expect(applied.status == "succeeded", "the new plan is what is approved now")
            #expect(applied.counts("students.csv")[0] == 1)
        }
    }
}

extension TestSchool {
    /// How many imports the checks say wait for somebody.
    fileprivate func waitingImports() async throws -> Int64 {
        let checks = try await get("/v1/checks", as: .ada)
        let found = checks.json["findings"]?.array?.first { $0["code"] == "import_waiting" }
        return found?["count"]?.int64 ?? 0
    }
}
