import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import AppsAndBooks

/// The people whom a device manager knows.
@Suite struct ContentUsers {
    private func user(_ name: String, _ persona: Persona) -> JSONValue {
        ["clientUserId": .text(name), "managedAppleId": .text(persona.managedID)]
    }

    @Test func `a user is a person at the location, by managed ID or by email`() async throws {
        try await withDevices { devices in
            try devices.school.sql(
                "update school.person set email = 'sue@example.org' where person_id = \(Persona.sue.personID)"
            )
            let event = try await devices.event(
                "users/create",
                [
                    "users": [
                        ["clientUserId": "s", "managedAppleId": "SAM@hillside.example"],
                        ["clientUserId": "e", "email": "Sue@example.org"],
                    ]
                ])
            #expect(event["eventStatus"] == "COMPLETE" && event["eventType"] == "CREATE")
            #expect(event["numRequested"] == 2 && event["numCompleted"] == 2)
            let users = try await devices.get("users").json["users"]?.array ?? []
            #expect(users.map { $0["clientUserId"]?.text } == ["e", "s"])
            #expect(users.allSatisfy { $0["status"] == "Associated" })
            #expect(users[0]["email"] == "Sue@example.org" && users[1]["email"] == nil)
            #expect(users[0]["idHash"] != users[1]["idHash"])
            #expect(users[0]["inviteCode"] == nil)
            let text = try await devices.get("users").text
            #expect(!text.contains("Example") && !text.contains("hillside"))
        }
    }

    @Test func `whoever is elsewhere, deactivated or nobody is refused alike`() async throws {
        try await withDevices { devices in
            let annex = try await devices.addAnnex()
            try devices.school.sql(
                """
                update school.person set deactivated_at = date_trunc('milliseconds', now())
                 where person_id = \(Persona.ben.personID)
                """)
            let users =
                [user("o", .omar), user("b", .ben)] + [
                    ["clientUserId": "n", "managedAppleId": "nobody@hillside.example"],
                    ["clientUserId": "m", "email": "nobody@example.org"], ["clientUserId": "x"],
                ]
            let event = try await devices.event("users/create", ["users": .array(users)])
            #expect(event["eventStatus"] == "FAILED" && event["numCompleted"] == 0)
            #expect(event["failures"]?.array?.count == 1)
            #expect(event["failures"]?[0]?["errorNumber"] == 9602)
            #expect(
                event["failures"]?[0]?["errorInfo"]
                    == ["clientUserIds": ["o", "b", "n", "m", "x"]])
            let there = try await annex.event("users/create", ["users": [user("s", .sam)]])
            #expect(there["failures"]?[0]?["errorNumber"] == 9602, "Sam has no role there")
        }
    }

    @Test func `neither a name nor a person is registered twice`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam)
            let event = try await devices.event(
                "users/create",
                ["users": [user("c-sam", .sue), user("again", .sam), user("c-sue", .sue)]])
            #expect(event["numCompleted"] == 1)
            #expect(event["failures"]?[0]?["errorNumber"] == 9716)
            #expect(
                event["failures"]?[0]?["errorInfo"] == ["clientUserIds": ["c-sam", "again"]])
        }
    }

    @Test func `an update changes the email and makes nobody somebody else`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam, .sue)
            let event = try await devices.event(
                "users/update",
                [
                    "users": [
                        ["clientUserId": "c-sam", "email": "new@example.org"],
                        user("c-sue", .sam), ["clientUserId": "c-nobody", "email": "a@b"],
                    ]
                ])
            #expect(event["eventType"] == "UPDATE" && event["numCompleted"] == 1)
            let numbers = event["failures"]?.array?.compactMap { $0["errorNumber"]?.int64 }
            #expect(numbers == [9602, 9609])
            let sam = try await devices.get("users?clientUserId=c-sam").json["users"]?[0]
            #expect(sam?["email"] == "new@example.org")
            #expect(try await devices.associate(users: ["c-sue"])["eventStatus"] == "COMPLETE")
            let mine = try await devices.school.get("/v1/me/licences", as: .sue)
            #expect(mine.items.count == 1)
        }
    }

    @Test func `retiring takes back what is revocable, and frees the name`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam)
            _ = try await devices.associate([Devices.quizzler, Devices.novel], users: ["c-sam"])
            let event = try await devices.event(
                "users/retire",
                ["users": [["clientUserId": "c-sam"], ["clientUserId": "c-nobody"]]])
            #expect(event["eventType"] == "RETIRE" && event["numCompleted"] == 1)
            #expect(event["failures"]?[0]?["errorNumber"] == 9609)
            let mine = try await devices.school.get("/v1/me/licences", as: .sam)
            #expect(mine.items.count == 1, "the book stays")
            let retired = try await devices.get("users?retiredOnly=true").json["users"]
            #expect(retired == [["clientUserId": "c-sam", "status": "Retired"]])
            #expect(try await devices.get("users?activeOnly=true").json["users"] == [])
            let refused = try await devices.associate(users: ["c-sam"])
            #expect(refused["failures"]?[0]?["errorNumber"] == 9609)
            let again = try await devices.event("users/create", ["users": [user("c-sam", .sue)]])
            #expect(again["eventStatus"] == "COMPLETE")
        }
    }

    // MARK: Users who leave the location

    private func moveToAnnex(_ persona: Persona, _ school: TestSchool) throws {
        try school.sql(
            """
            update school.person_role
               set location_id = (select location_id from school.location where source_id = 'annex')
             where person_id = \(persona.personID)
            """)
    }

    @Test func `a user who left gets nothing more, and can only be retired`() async throws {
        try await withDevices { devices in
            _ = try await devices.addAnnex()
            try await devices.register(.sam)
            let before = try await devices.associate(users: ["c-sam"])
            #expect(before["eventStatus"] == "COMPLETE")
            func held() throws -> Rows {
                try devices.school.sql(
                    "select from school.licence where person_id = \(Persona.sam.personID)")
            }
            #expect(try held().count == 1)
            try moveToAnnex(.sam, devices.school)
            let after = try await devices.associate([Devices.novel], users: ["c-sam"])
            #expect(after["failures"]?[0]?["errorNumber"] == 9609)
            let changed = try await devices.event(
                "users/update",
                ["users": [["clientUserId": "c-sam", "email": "new@example.org"]]])
            #expect(changed["failures"]?[0]?["errorNumber"] == 9609)
            let retired = try await devices.event(
                "users/retire", ["users": [["clientUserId": "c-sam"]]])
            #expect(retired["eventStatus"] == "COMPLETE")
            #expect(try held().isEmpty)
        }
    }

    @Test func `the database lets a device manager keep nobody of another location`() async throws {
        try await withDevices { devices in
            let school = devices.school
            _ = try await devices.addAnnex()
            try await devices.register(.sam, .sue)
            let caller = try devices.caller()
            let writes: [Statement] = [
                """
                insert into school.content_user (organization_id, location_id, client_user_id, person_id)
                select organization_id, location_id, 'more', \(Persona.ben.personID)
                  from school.content_user where client_user_id = 'c-sue'
                """,
                """
                update school.content_user set person_id = \(Persona.ben.personID)
                 where client_user_id = 'c-sue'
                """,
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
                select organization_id, gen_random_uuid(), \(Devices.quizzler), location_id, person_id
                  from school.content_user where client_user_id = 'c-sam'
                """,
            ]
            try moveToAnnex(.sam, school)
            try moveToAnnex(.ben, school)
            for write in writes {
                let refusal = try #require(throws: PostgresError.self) {
                    try school.sql(write, as: caller)
                }
                #expect(refusal.sqlState == "42501")
            }
            try school.sql(
                """
                update school.person_role set location_id = \(school.mainLocation)
                 where person_id in (\(Persona.sam.personID), \(Persona.ben.personID))
                """)
            try school.sql(writes[2], as: caller)
            try school.sql(writes[0], as: caller)
        }
    }

    @Test func `erasing somebody erases the name, and events that name it`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam, .sue)
            _ = try await devices.event("users/create", ["users": [user("c-sam", .ben)]])
            _ = try await devices.event("users/create", ["users": [user("c-sue", .ben)]])
            let school = devices.school
            let gone = try await school.post(
                "/v1/people/\(Persona.sam.personID.uuid)/erasure", as: .ada)
            #expect(gone.status < 300, "\(gone.text)")
            let rows = try school.sql(
                """
                select (select string_agg(client_user_id, ' ') from school.content_user) as users,
                       (select string_agg(failures::text, ' ') from school.content_event
                         where failures <> '[]') as failures
                """)
            #expect(try rows[0].text("users") == "c-sue")
            #expect(try rows[0].text("failures").contains("c-sue"))
            #expect(try !rows[0].text("failures").contains("c-sam"))
        }
    }
}
