import JSONBytes
import Postgres
import School
import TestKit
import Testing

@Suite struct FullDisks {
    @Test func `a full disk is reported as such, and nothing is saved`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                create function school.fail() returns trigger language plpgsql as
                $$ begin raise exception using errcode = 'disk_full', message = 'no space'; end $$
                """)
            try school.sql(
                """
                create trigger fail before insert on school.location
                    for each row execute function school.fail()
                """)
            let refused = try await school.post("/v1/locations", as: .ada, json: ["name": "Annex"])
            #expect(refused.status == 507)
            #expect(refused.json["code"]?.text == "storage_full")
            #expect(refused.json["detail"]?.text?.contains("Nothing was saved.") == true)
            let annexes = try school.sql("select from school.location where name = 'Annex'")
            #expect(annexes.count == 0)
        }
    }
}
