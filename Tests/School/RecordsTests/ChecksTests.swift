import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Checks {
    /// What only the command can find.
    private static let leftOut: JSONValue = [
        "audit_trail_edited", "audit_trail_cut", "progress_differs",
    ]

    @Test func `a school in order is ready, and every check says so`() async throws {
        try await withSchool { school in
            let answer = try await school.get("/v1/checks", as: .ada)
            #expect(answer.status == 200)
            #expect(answer.json["ready"] == true)
            let codes = (answer.json["findings"]?.array ?? []).compactMap { $0["code"]?.text }
            #expect(codes == ["teacher_never_signed_in", "student_never_signed_in"])
            let listed = try school.sql("select code from school.checks()")
            let passed = (answer.json["passed"]?.array ?? []).compactMap(\.text)
            let known = try listed.map { try $0.text("code") }
            #expect(answer.json["leftOut"] == Self.leftOut)
            #expect(
                Set(codes + passed + ["audit_trail_edited", "audit_trail_cut", "progress_differs"])
                    == Set(known))
        }
    }

    @Test(arguments: Flaw.all)
    func `problems are found, with the ids they concern`(flaw: Flaw) async throws {
        try await withSchool { school in
            try school.sql("update school.person set first_sign_in_at = now()")
            let before = try await school.get("/v1/checks", as: .ada)
            #expect(before.json["findings"]?.array?.isEmpty == true, "\(before.text)")
            for change in flaw.changes { try school.sql(change) }
            let answer = try await school.get("/v1/checks", as: .petra)
            let findings = answer.json["findings"]?.array ?? []
            #expect(findings.compactMap { $0["code"]?.text } == [flaw.code])
            #expect(findings.first?["severity"]?.text == flaw.severity)
            #expect(findings.first?["count"]?.int64 == 1)
            if let subject = flaw.subject {
                #expect(findings.first?["subjectIds"] == [.text(subject.description)])
            }
            #expect(answer.json["ready"] == .bool(flaw.severity != "error"))

            let elsewhere = try await school.get("/v1/checks", as: .olga)
            #expect(
                elsewhere.json["findings"]?.array?.contains { $0["code"]?.text == flaw.code }
                    == false)
        }
    }

    @Test func `a check that meets damaged data says so, and hides no other`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                create or replace function school.check_import_waiting(uuid, uuid) returns setof text
                    language plpgsql stable as
                    $$ begin raise exception 'invalid page in block 7' using errcode = 'XX001'; end $$
                """)
            let answer = try await school.get("/v1/checks", as: .ada)
            let findings = answer.json["findings"]?.array ?? []
            #expect(
                findings.compactMap { $0["code"]?.text }.sorted() == [
                    "import_waiting", "student_never_signed_in", "teacher_never_signed_in",
                ])
            let damaged = findings.first { $0["code"] == "import_waiting" }
            #expect(damaged?["severity"] == "error" && answer.json["ready"] == false)
            #expect(damaged?["text"]?.text?.contains("(XX001)") == true, "\(answer.text)")
            #expect(!answer.text.contains("block 7"))
        }
    }

    @Test func `the last nightly export of the own organization is named`() async throws {
        try await withSchool { school in
            func last(_ persona: Persona) async throws -> JSONValue? {
                try await school.get("/v1/checks", as: persona).json["lastExport"]
            }
            #expect(try await last(.ada) == .null)
            for (day, sequence, taken, isFull) in [
                ("2026-03-02", 1, "2026-03-03T01:00:00.000Z", false),
                ("2026-03-02", 2, "2026-03-04T01:00:00.000Z", true),
                ("2026-03-01", 1, "2026-03-02T01:00:00.000Z", true),
            ] {
                try school.sql(
                    """
                    insert into school.export_snapshot (organization_id, exported_on, sequence, taken_at,
                                                        snapshot, system_id, is_full)
                    values (\(school.hillside), \(Day(day)), \(Int32(sequence)), \(Timestamp(taken)),
                            pg_current_snapshot(), 1, \(isFull))
                    """)
            }
            let expected: JSONValue = [
                "exportedOn": "2026-03-02", "takenAt": "2026-03-04T01:00:00.000Z", "isFull": true,
            ]
            #expect(try await last(.ada) == expected)
            #expect(try await last(.petra) == expected)
            #expect(try await last(.olga) == .null)
        }
    }

    @Test func `a class is checked by itself`() async throws {
        try await withSchool { school in
            try school.sql(
                "delete from school.seat where class_id = \(school.chemistry) and role = 'teacher'")
            let chemistry = try await school.get(
                "/v1/checks?classId=\(school.chemistry.uuid)", as: .ada)
            #expect(chemistry.json["ready"] == false)
            let biology = try await school.get("/v1/checks?classId=source:class-Biology", as: .ada)
            #expect(biology.json["ready"] == true)
            let never = biology.json["findings"]?.array?.first {
                $0["code"] == "student_never_signed_in"
            }
            #expect(never?["count"] == 2)
            let passed = (biology.json["passed"]?.array ?? []).compactMap(\.text)
            #expect(!passed.contains("audit_trail_edited"), "that is of no class")
        }
    }

    @Test func `the command finds an edited audit trail`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.audit_event (organization_id, event_id, kind, standing)
                values (\(school.hillside), gen_random_uuid(), 'denial', 'teacher')
                """)
            let answer = try await school.get("/v1/checks", as: .ada)
            #expect(answer.json["leftOut"] == Self.leftOut)
            #expect(answer.json["ready"] == true, "nothing is said about what was not checked")
            let found = try school.sql(
                """
                select count, severity from school.run_checks(\(school.hillside), null)
                 where code = 'audit_trail_edited'
                """)
            #expect(try found[0].int("count") == 1)
            #expect(try found[0].text("severity") == "error")
        }
    }

    @Test(
        arguments: [
            "progress = 0.1", "stopped_at = null", "duration_seconds = duration_seconds + 1",
            "started_at = started_at - interval '1 day'", "kind = 'binary'", "share = null",
            "quantity = 1", "positive = true", "primary_item = null",
        ] as [Statement])
    func `the command finds reports that differ from what apps sent`(
        change: Statement
    ) async throws {
        try await withSchool { school in
            try await school.liveALittle()
            #expect(try school.differing().count == 0)
            let changed = try school.sql(
                """
                update school.activity_assignment set \(fragment: change)
                 where person_id = \(school.id(.sam)) returning activity_id
                """)
            #expect(changed.count == 1)
            let found = try school.differing()
            #expect(found.severity == "error")
            #expect(try found.ids == [changed[0].uuid("activity_id").description])
            let answer = try await school.get("/v1/checks", as: .ada)
            #expect(answer.json["leftOut"] == Self.leftOut)
        }
    }

    @Test(
        arguments: [
            "attempts = 2", "progress_sum = 0.1", "progress_count = 7", "duration_sum = 1",
            "started_at = started_at - interval '1 day'", "progress = 0.1", "kind = 'quantity'",
            "share = 0.1", "quantity = 1", "positive = true", "primary_item = null",
        ] as [Statement])
    func `the command finds sums that differ from a student's attempts`(change: Statement)
        async throws
    {
        try await withSchool { school in
            try await school.liveALittle()
            let changed = try school.sql(
                """
                update school.assignment_figures set \(fragment: change)
                 where person_id = \(school.id(.sam)) returning latest_activity_id
                """)
            #expect(changed.count == 1)
            let found = try school.differing()
            #expect(try found.ids == [changed[0].uuid("latest_activity_id").description])
            try school.sql("delete from school.assignment_figures")
            #expect(try school.differing().count > 0)
        }
    }

    @Test func `many are counted, and a hundred named`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.class (organization_id, class_id, location_id, name)
                select \(school.hillside), gen_random_uuid(), \(school.mainLocation), 'Class ' || n
                  from generate_series(1, 150) as n
                """)
            let answer = try await school.get("/v1/checks", as: .ada)
            let finding = answer.json["findings"]?.array?.first {
                $0["code"] == "class_without_teacher"
            }
            #expect(finding?["count"] == 150)
            #expect(finding?["subjectIds"]?.array?.count == 100)
            #expect(finding?["text"]?.text == "150 classes have no teacher.")
        }
    }

    @Test func `checks are for directory managers, and for teachers of a class`() async throws {
        try await withSchool { school in
            for persona in [Persona.mara, .tom, .sam, .provisioner, .exporter, .samsApp] {
                let answer = try await school.get("/v1/checks", as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            let foreign = "/v1/checks?classId=\(school.biology.uuid)"
            let answer = try await school.get(foreign, as: .olga)
            #expect(answer.status == 404)
        }
    }
}

extension TestSchool {
    /// What the command says about attempts that reports show differently.
    fileprivate func differing() throws -> (count: Int, severity: String, ids: [String]) {
        let row = try sql(
            """
            select count, severity, subject_ids from school.run_checks(\(hillside), null)
             where code = 'progress_differs'
            """)[0]
        return try (row.int("count"), row.text("severity"), row.textArray("subject_ids"))
    }
}
