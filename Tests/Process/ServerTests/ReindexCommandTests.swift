import JSONBytes
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// The order of the operating system changes, as with a newer ICU: names that were apart from `A` go behind `Z`.
@Suite struct ReindexCommand {
    @Test func `an index in an order of the past is found and mended`() async throws {
        try await withSchool { school in
            try school.sql("create extension amcheck")
            try school.nameForOrder()
            let homeroom = school.owningHomeroom
            let before = try await homeroom("reindex")
            #expect(before.status == 0, "\(before.complaints)")
            #expect(before.output.contains("nothing was changed"))
            #expect(try await !findings(homeroom).contains("collation_changed"))
            try school.checkOrder()

            try school.sql(
                """
                update pg_collation set colliculocale = 'sv', collversion = '1.2'
                 where collname = 'und-x-icu'
                """)
            #expect(throws: (any Error).self) { try school.checkOrder() }
            #expect(try await findings(homeroom).contains("collation_changed"))
            let texts = try await homeroom("doctor").output
            #expect(texts.contains("orders texts by und-x-icu"), "\(texts)")
            #expect(texts.contains("made with version 1.2"), "\(texts)")
            #expect(texts.contains("Run homeroom reindex"), "\(texts)")

            try school.leaveInterruptedRebuild()
            let run = try await homeroom("reindex", "--json")
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.json["collations"] == ["und-x-icu"])
            #expect(run.json["rebuilt"]?.array?.isEmpty == false)
            try school.checkOrder()
            #expect(try await !findings(homeroom).contains("collation_changed"))
            #expect(try await !findings(homeroom).contains("invalid_index"))
        }
    }

    @Test func `who may not note the new version learns who may`() async throws {
        try await withSchool { school in
            try school.sql(
                "update pg_collation set collversion = '1.2' where collname = 'und-x-icu'")
            try school.sql(
                """
                do $$ begin
                    create role reindexing_login login in role school_owner;
                exception when duplicate_object then null;
                end $$
                """)
            let homeroom = school.homeroom.with(
                "HOMEROOM_MIGRATION_URL", school.ownerURL + " user=reindexing_login")
            let run = try await homeroom("reindex")
            #expect(run.status == 1)
            #expect(run.complaints.contains("only a superuser can note"), "\(run.complaints)")
            #expect(
                run.complaints.contains(
                    "alter collation pg_catalog.\"und-x-icu\" refresh version"),
                "\(run.complaints)")
        }
    }

    private func findings(_ homeroom: Homeroom) async throws -> [String] {
        let run = try await homeroom("doctor", "--json")
        let findings = run.json["deployment"]?["findings"]?.array ?? []
        return findings.compactMap { $0["code"]?.text }
    }
}

extension TestSchool {
    /// The commands of the schema's owner.
    fileprivate var owningHomeroom: Homeroom {
        homeroom.with("HOMEROOM_MIGRATION_URL", ownerURL)
    }

    /// Gives people names that another collation orders otherwise.
    fileprivate func nameForOrder() throws {
        try sql(
            """
            update school.person
               set family_name = case when given_name = 'Tom' then 'Åberg' else 'Zeta' end
             where organization_id = \(hillside)
            """)
    }

    /// Makes the incomplete index that an interrupted rebuild leaves.
    fileprivate func leaveInterruptedRebuild() throws {
        try sql(
            "create index person_by_name_ccnew on school.person (organization_id, family_name)")
        try sql(
            """
            update pg_index set indisvalid = false
             where indexrelid = 'school.person_by_name_ccnew'::regclass
            """)
    }

    /// Throws unless every index of people by name is in the order of its collation; on a connection of its own, which
    /// does not know an earlier order.
    fileprivate func checkOrder() throws {
        try BlockingConnection(ownerURL).query(.orderOfNames)
    }
}

extension Statement {
    /// Fails unless every index of people by name is in the order of its collation, which `amcheck` looks at.
    static var orderOfNames: Statement {
        """
        select bt_index_check(indexrelid) from pg_index
         where indrelid = 'school.person'::regclass and pg_get_indexdef(indexrelid) like '%und-x-icu%'
        """
    }
}
