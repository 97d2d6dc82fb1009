import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

/// Whose sign-in sheet contains whom.
@Suite struct SheetRights {
    @Test func `a teacher makes sheets for their own classes and students, and for nobody else`()
        async throws
    {
        try await withSchool { school in
            let biology = JSONValue.text(school.biology.uuid.description)
            #expect(try await school.orderSheet(["classId": biology], as: .tom).status == 200)
            let others = try await school.orderSheet(["classId": biology], as: .tess)
            #expect(others.status == 422, "a class Tess cannot see")
            #expect(others.pointers == ["/classId"])

            let stranger = try await school.orderSheet(
                ["personIds": ["source:sis-sue", "source:sis-ben"]], as: .tom)
            #expect(stranger.status == 422)
            #expect(stranger.pointers == ["/personIds/1"])
            let colleague = try await school.orderSheet(
                ["personIds": ["source:sis-sue", "source:sis-cora"]], as: .tom)
            #expect(colleague.status == 403)
            #expect(colleague.pointers == ["/personIds/1"])
            _ = try await school.signIn(.ben)
            _ = try await school.signIn(.cora)

            let location = try await school.orderSheet(["locationId": "source:main"], as: .tom)
            #expect(try SheetRow.all(location).map(\.givenName) == ["Sam", "Sue"])
        }
    }

    @Test func `a former student, or one who also teaches, is no longer the teacher's`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.sue)), \(school.mainLocation), 'staff')
                """)
            let body: JSONValue = ["classId": .text(school.biology.uuid.description)]
            let answer = try await school.orderSheet(body, as: .tom)
            #expect(try SheetRow.all(answer).map(\.givenName) == ["Sam"])
            _ = try await school.signIn(.sue)

            try school.sql(
                """
                update school.seat set left_at = school.moment() where person_id = \(school.id(.sam))
                """)
            let nobody = try await school.orderSheet(body, as: .tom)
            #expect(nobody.status == 422)
            #expect(nobody.json["errors"]?[0]?["code"] == "nobody")
            let named = try await school.orderSheet(["personIds": ["source:sis-sam"]], as: .tom)
            #expect(named.status == 403)
            #expect(named.json["detail"]?.text?.contains("now") == true)
        }
    }

    @Test func `managers make sheets for anyone they manage`() async throws {
        try await withSchool { school in
            for persona in [Persona.ada, .petra, .mara] {
                let answer = try await school.orderSheet(["locationId": "source:main"], as: persona)
                #expect(
                    try SheetRow.all(answer).map(\.givenName).sorted() == ["Ben", "Sam", "Sue"])
            }
            let staff: JSONValue = ["personIds": ["source:sis-tom", "source:sis-ben"]]
            #expect(try await school.orderSheet(staff, as: .mara).pointers == ["/personIds/0"])
            try school.sql("delete from school.credential where person_id = \(school.id(.tom))")
            let slips = try SheetRow.all(await school.orderSheet(staff, as: .mara))
            #expect(slips.map(\.givenName) == ["Tom", "Ben"], "in the order of the list")
            let higher: JSONValue = ["personIds": ["source:sis-ben", "source:sis-ada"]]
            for persona in [Persona.petra, .mara] {
                let answer = try await school.orderSheet(higher, as: persona)
                #expect(answer.status == 403)
                #expect(answer.pointers == ["/personIds/1"])
            }
            _ = try await school.signIn(.ada)
        }
    }

    @Test func `nobody else makes sheets`() async throws {
        try await withSchool { school in
            let body: JSONValue = ["personIds": ["source:sis-sue"]]
            #expect(try await school.orderSheet(body, as: .tom).status == 200)
            for persona in [Persona.sam, .provisioner, .exporter, .samsApp, .tomsApp] {
                let answer = try await school.orderSheet(body, as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            #expect(try await school.orderSheet(body, as: nil).status == 401)
            #expect(try await school.orderSheet(body, as: .olga).status == 422)
        }
    }

    @Test func `a deactivated person is left out of a class, and refused in a list`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sam))"
            )
            let page = try await school.orderSheet(
                ["classId": .text(school.biology.uuid.description)], as: .ada, accept: "text/html")
            #expect(page.text.contains("Without a slip: 1"))
            #expect(page.text.contains("<h2 dir=\"auto\">Sue Example</h2>"))
            #expect(!page.text.contains("Sam Example"))
            let list = try await school.orderSheet(
                ["personIds": ["source:sis-sue", "source:sis-sam", "source:sis-nobody"]], as: .ada)
            #expect(list.status == 422)
            #expect(list.pointers == ["/personIds/1", "/personIds/2"])
            let codes = list.json["errors"]?.array?.compactMap { $0["code"]?.text }
            #expect(codes == ["person_deactivated", "unknown_reference"])
        }
    }

    @Test func `a sheet that is too large sets no password`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                with new as (
                    insert into school.managed_id_directory (managed_id, organization_id, person_id)
                    select 'n' || n || '@hillside.example', \(school.hillside), gen_random_uuid()
                      from generate_series(1, 250) as n
                    returning managed_id, person_id
                ), people as (
                    insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
                    select \(school.hillside), person_id, 'New', 'Student', managed_id from new
                )
                insert into school.person_role (organization_id, person_id, location_id, role)
                select \(school.hillside), person_id, \(school.mainLocation), 'student' from new
                """)
            let answer = try await school.orderSheet(["locationId": "source:main"], as: .ada)
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?[0]?["code"] == "too_many_people")
            _ = try await school.signIn(.sam)
        }
    }

    @Test func `nobody gets a new password if one person no longer can`() async throws {
        try await withSchool { school in
            let set = try school.sql(
                """
                select school.set_temporary_passwords(
                           \([school.id(.sam), school.id(.cora)]), '{a,b}', now(), 'people', null) as is_set
                """, as: school.caller(.tom))
            #expect(try !set[0].bool("is_set"))
            _ = try await school.signIn(.sam)
            _ = try await school.signIn(.cora)
        }
    }

    @Test func `four sheets are made at a time, and further requests are asked to come back`()
        async throws
    {
        let passwords = PasswordThreads(cost: .ofTests)
        let outcomes = await withTaskGroup(of: Int.self) { group in
            for _ in 1...6 {
                group.addTask {
                    do {
                        return try await passwords.records(of: ["one", "two"]).count
                    } catch {
                        return (error as? Problem)?.status ?? 0
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == 2 } >= 4)
        #expect(Set(outcomes).isSubset(of: [2, 429]))
        #expect(try await passwords.records(of: ["three"]).count == 1, "there is space again")
    }
}
