import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import AppsAndBooks

/// Assigning licences and taking them back.
@Suite struct Assigning {
    @Test func `users and devices get licences, as the API shows them, too`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam)
            let event = try await devices.associate(users: ["c-sam"], devices: ["tablet-1"])
            #expect(event["eventStatus"] == "COMPLETE" && event["eventType"] == "ASSOCIATE")
            #expect(event["numRequested"] == 2 && event["numCompleted"] == 2)
            #expect(try await devices.holders() == ["c-sam", "TABLET-1"])
            let asset = try await devices.asset()
            #expect(asset["assignedCount"] == 2 && asset["availableCount"] == 1)
            let licences = try await devices.school.get(
                "/v1/apps/\(Devices.quizzler)/licences", as: .ada
            ).items
            #expect(licences.count == 2)
            #expect(licences.contains { $0["serialNumber"] == "TABLET-1" })
            let mine = try await devices.school.get("/v1/me/licences", as: .sam).items
            #expect(mine.count == 1)
            let again = try await devices.associate(users: ["c-sam"], devices: ["TABLET-1"])
            #expect(again["eventStatus"] == "COMPLETE" && again["numCompleted"] == 2)
            #expect(try await devices.asset()["assignedCount"] == 2)
        }
    }

    @Test func `what somebody was given by hand has our id, and can be taken back`() async throws {
        try await withDevices { devices in
            let sam = Persona.sam.personID.uuid.description
            let given = try await devices.school.post(
                "/v1/apps/\(Devices.quizzler)/licences", as: .ada,
                json: ["personIds": [.text(sam)]])
            #expect(given.status == 201)
            #expect(try await devices.holders() == [sam])
            #expect(try await devices.holders("?clientUserId=\(sam)") == [sam])
            let refused = try await devices.associate([Devices.novel], users: [sam])
            #expect(refused["failures"]?[0]?["errorNumber"] == 9609, "not registered")
            let event = try await devices.disassociate(users: [sam])
            #expect(event["eventStatus"] == "COMPLETE" && event["eventType"] == "DISASSOCIATE")
            #expect(try await devices.holders().isEmpty)
        }
    }

    @Test func `an asset with too few licences is given to nobody, the other to all`() async throws
    {
        try await withDevices(quizzlers: 1) { devices in
            try await devices.register(.sam, .sue)
            let event = try await devices.associate(
                [Devices.novel, Devices.quizzler], users: ["c-sam", "c-sue"])
            #expect(event["eventStatus"] == "FAILED")
            #expect(event["numRequested"] == 4 && event["numCompleted"] == 2)
            let failure = event["failures"]?[0]
            #expect(event["failures"]?.array?.count == 1 && failure?["errorNumber"] == 9709)
            #expect(failure?["errorInfo"] == ["assets": [.text(Devices.quizzler)]])
            #expect(try await devices.asset()["assignedCount"] == 0)
            #expect(try await devices.asset(Devices.novel)["assignedCount"] == 2)
        }
    }

    @Test func `who is unknown or deactivated gets nothing, the others do`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam, .sue)
            let gone = try await devices.school.post(
                "/v1/people/\(Persona.sue.personID.uuid)/deactivation", as: .ada)
            #expect(gone.status < 300, "\(gone.text)")
            let event = try await devices.associate(users: ["c-sam", "c-sue", "c-nobody"])
            #expect(event["eventStatus"] == "FAILED" && event["numCompleted"] == 1)
            #expect(
                event["failures"]?[0]?["errorInfo"] == ["clientUserIds": ["c-nobody", "c-sue"]])
            #expect(event["failures"]?[0]?["errorNumber"] == 9609)
            #expect(try await devices.holders() == ["c-sam"])
        }
    }

    @Test func `books stay, and devices get none`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam)
            let body = Devices.body([Devices.quizzler, Devices.novel], devices: ["T-1"])
            let refused = try await devices.post("assets/associate", body)
            #expect(refused.status == 400 && refused.json["errorNumber"] == 9707)
            #expect(refused.json["errorInfo"] == ["assets": [.text(Devices.novel)]])
            #expect(try await devices.holders().isEmpty, "nothing is queued")
            _ = try await devices.associate(
                [Devices.quizzler, Devices.novel], users: ["c-sam"])
            let kept = try await devices.post(
                "assets/disassociate", Devices.body([Devices.novel], users: ["c-sam"]))
            #expect(kept.status == 400 && kept.json["errorNumber"] == 9706)
            let event = try await devices.event("assets/revoke", ["clientUserIds": ["c-sam"]])
            #expect(event["eventType"] == "REVOKE" && event["eventStatus"] == "COMPLETE")
            let left = try await devices.get("assignments").json["assignments"]?.array ?? []
            #expect(left.compactMap { $0["adamId"]?.text } == [Devices.novel])
        }
    }

    @Test func `the licences of another location are neither seen nor taken`() async throws {
        try await withDevices { devices in
            let annex = try await devices.addAnnex()
            _ = try await annex.associate(devices: ["ANNEX-1"])
            #expect(try await annex.holders() == ["ANNEX-1"])
            #expect(try await devices.holders().isEmpty)
            #expect(try await devices.holders("?serialNumber=ANNEX-1").isEmpty)
            let event = try await devices.disassociate(devices: ["ANNEX-1"])
            #expect(event["eventStatus"] == "COMPLETE", "as if it had none")
            #expect(try await annex.holders() == ["ANNEX-1"])
            let unknown = try await annex.post(
                "assets/associate", Devices.body([Devices.novel], users: ["c"]))
            #expect(unknown.json["errorNumber"] == 9602)
            let answer = try await devices.post(
                "assets/associate", Devices.body(devices: ["T-1"]))
            let id = answer.json["eventId"]?.text ?? ""
            #expect(try await devices.get("status?eventId=\(id)").status == 200)
            let foreign = try await annex.get("status?eventId=\(id)")
            #expect(foreign.status == 400 && foreign.json["errorNumber"] == 9708)
        }
    }

    @Test func `assigning leaves the audit event that the API leaves`() async throws {
        try await withDevices { devices in
            _ = try await devices.associate(devices: ["T-1", "T-2"])
            _ = try await devices.disassociate(devices: ["T-1"])
            let rows = try devices.school.sql(
                """
                select details ->> 'granted' as granted, details ->> 'returned' as returned,
                       service_account_id is not null as has_account
                  from school.audit_event where kind = 'licenceChange' and standing = 'deviceManager'
                 order by event_id
                """)
            try #require(rows.count == 2)
            #expect(try rows[0].optionalText("granted") == "2")
            #expect(try rows[1].optionalText("returned") == "1")
            #expect(try rows[0].bool("has_account"))
        }
    }

    @Test func `events are forgotten after a week`() async throws {
        try await withDevices { devices in
            let answer = try await devices.post(
                "assets/associate", Devices.body(devices: ["T-1"]))
            let id = answer.json["eventId"]?.text ?? ""
            try devices.school.sql(
                "update school.content_event set created_at = created_at - interval '8 days'")
            #expect(try await devices.get("status?eventId=\(id)").status == 200)
            try devices.school.removeOutdated()
            let gone = try await devices.get("status?eventId=\(id)")
            #expect(gone.json["errorNumber"] == 9708)
        }
    }

    @Test func `the database shows a device manager nothing of another location`() async throws {
        try await withDevices { devices in
            let (school, annex) = (devices.school, try await devices.addAnnex())
            _ = try await annex.associate(devices: ["ANNEX-1"])
            #expect(try await annex.holders() == ["ANNEX-1"])
            let caller = try devices.caller()
            let seen = try school.sql(
                """
                select (select count(*) from school.licence) as licences,
                       (select count(*) from school.content_event) as events,
                       (select count(*) from school.location) as locations,
                       (select count(*) from school.pool) as pools
                """, as: caller)
            #expect(try seen[0].int("licences") == 0 && seen[0].int("events") == 0)
            #expect(try seen[0].int("locations") == 1 && seen[0].int("pools") == 2)
            let removed = try school.sql(
                "delete from school.licence where serial_number = 'ANNEX-1'", as: caller)
            #expect(removed.affected == 0)
            #expect(try await annex.holders() == ["ANNEX-1"])
        }
    }
}
