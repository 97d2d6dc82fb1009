import Foundation
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// The end of an audit trail that was removed is noticed by what left the database before.
@Suite struct CutTrails {
    @Test func `a backup says that the end of a trail was removed, and keeps the earlier seal`()
        async throws
    {
        try await withBackedUpSchool { school in
            let backup = school.backup
            let seal = try school.sealed(2)
            let first = try await school.homeroom("backup", backup, "--json")
            #expect(first.status == 0, "\(first.complaints)")
            #expect(try school.ledger().contains(seal))
            _ = try school.sealed(3)
            #expect(try await school.homeroom("backup", backup).status == 0)
            let last = try school.lastSeal()

            try school.cutTrail()
            for _ in 1...2 {
                let run = try await school.homeroom("backup", backup)
                #expect(run.status == 1)
                #expect(
                    run.complaints.contains(
                        "The audit trail of \(school.organization) no longer has seal 3"),
                    "\(run.complaints)")
                #expect(try school.ledger().contains(last), "the evidence stays")
            }
            let doctor = try await school.homeroom("doctor", "--json")
            let findings = doctor.json["deployment"]?["findings"]?.array ?? []
            let found = findings.first { $0["code"]?.text == "ledger_seals" }
            #expect(found?["text"]?.text?.contains("no longer has seal 3") == true)
            #expect(found?["text"]?.text?.contains(backup) == true)

            let accepted = try await school.homeroom("backup", backup, "--accept-audit-trail")
            #expect(accepted.status == 0, "\(accepted.complaints)")
            #expect(try !school.ledger().contains(last))
            #expect(try await school.homeroom("backup", backup).status == 0)
        }
    }

    @Test func `the doctor reads the manifests of the newest exports`() async throws {
        try await withBackedUpSchool { school in
            _ = try school.sealed(2)
            let exports = "\(school.data)/exports"
            let exported = try await school.homeroom("export", "--out", exports)
            #expect(exported.status == 0, "\(exported.complaints)")
            #expect(try await school.seals("export_seals") == [])
            try school.cutTrail()
            let texts = try await school.seals("export_seals")
            #expect(texts.count == 1)
            #expect(texts.first?.contains("no longer has seal 2") == true)
            try FileManager.default.moveItem(atPath: exports, toPath: "\(school.root)/elsewhere")
            #expect(try await school.seals("export_seals") == [])
            let named = try await school.seals(
                "export_seals", "--exports", "\(school.root)/elsewhere")
            #expect(named.count == 1)
            #expect(named.first?.contains("the manifests of \(school.root)/elsewhere") == true)
        }
    }

    @Test func `a witness elsewhere gets the last seals, and its failure is an error`() async throws
    {
        try await withBackedUpSchool { school in
            let seal = try school.sealed(2)
            let witness = "\(school.root)/witness"
            let well = try await school.homeroom
                .with("HOMEROOM_SEAL_HOOK", "cat > \(witness); env >> \(witness)")(
                    "doctor", "--json")
            #expect(well.json["isWell"] == true, "\(well.output)")
            let said = try String(contentsOfFile: witness, encoding: .utf8)
            #expect(said.hasPrefix(seal + "\n"))
            #expect(!said.contains("HOMEROOM_DATA"), "nothing of the settings goes along")
            for hook in ["exit 3", "no-such-command"] {
                let run = try await school.homeroom.with("HOMEROOM_SEAL_HOOK", hook)(
                    "doctor", "--json")
                #expect(run.status == 1)
                let findings = run.json["deployment"]?["findings"]?.array ?? []
                let found = findings.first { $0["code"]?.text == "seal_hook" }
                #expect(
                    found?["text"]?.text?.contains("failed with status") == true, "\(run.output)")
            }
        }
    }
}

extension BackedUpSchool {
    /// Seals what happened, with one more event each, until there are that many seals; the last one, as doctor takes it.
    fileprivate func sealed(_ count: Int) throws -> String {
        var number = 0
        while number < count {
            try sql(
                """
                select school.write_audit_event(\(organization)::uuid, 'denial', 'teacher', null, null, null, null,
                                                null, null)
                """)
            try sql("select school.seal_audit_events(\(organization)::uuid)")
            number = try sql("select max(number) as number from school.audit_seal")[0].int("number")
        }
        return try lastSeal()
    }

    fileprivate func lastSeal() throws -> String {
        let row = try sql(
            "select number, encode(digest, 'hex') as digest from school.audit_seal order by number desc limit 1"
        )[0]
        return "\(organization):\(try row.int("number")):\(try row.text("digest"))"
    }

    /// Removes the last seal and its events, as someone could who may do everything in the database.
    fileprivate func cutTrail() throws {
        try sql(
            """
            delete from school.audit_event where event_id = any (
                select unnest(event_ids) from school.audit_seal
                 where number = (select max(number) from school.audit_seal))
                or event_id in (select event_id from school.audit_unsealed)
            """)
        try sql("delete from school.audit_unsealed")
        try sql(
            "delete from school.audit_seal where number = (select max(number) from school.audit_seal)"
        )
    }

    fileprivate func ledger() throws -> String {
        try String(contentsOfFile: "\(backup)/homeroom-ledger.json", encoding: .utf8)
    }

    fileprivate func seals(_ code: String, _ words: String...) async throws -> [String] {
        let run = try await homeroom.run(["doctor", "--json"] + words)
        let findings = run.json["deployment"]?["findings"]?.array ?? []
        return findings.filter { $0["code"]?.text == code }.compactMap { $0["text"]?.text }
    }
}
