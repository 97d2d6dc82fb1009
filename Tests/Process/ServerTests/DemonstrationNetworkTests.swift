import Demonstration
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import ServerKit

/// From where the accounts of the demonstration school sign in, whose passwords anybody knows.
@Suite struct DemonstrationNetwork {
    private func status(
        _ managedID: String, _ password: String, from address: String, _ school: TestSchool
    ) async throws -> Int {
        let body: JSONValue = ["managedId": .text(managedID), "password": .text(password)]
        return try await school.send(
            "POST", "/v1/sign-in", token: nil, body: body.bytes, from: address
        ).status
    }

    private func findings(_ school: TestSchool) async throws -> Set<String> {
        let json = try await school.homeroom("doctor", "--json").json
        let all = json["deployment"]?["findings"]?.array ?? []
        return Set(all.compactMap { $0["code"]?.text })
    }

    @Test func `they sign in from this machine alone, unless the operator lets others in`()
        async throws
    {
        try await withSchool { school in
            try school.beginAuditTrails()
            let homeroom = Homeroom(
                databaseURL: school.ownerURL + " user=school_server", migrationURL: school.ownerURL)
            #expect(try await homeroom("demo", "--network", "perhaps").status == 64)
            let made = try await homeroom("demo", "--beside", "--json")
            try #require(made.status == 0, "\(made.complaints)")
            #expect(made.json["isNew"] == true && made.json["isLocal"] == true)
            let rosa = DemonstrationAccount.teacher
            func rosaSignsIn(from address: String) async throws -> Int {
                try await status(rosa.managedID, rosa.password, from: address, school)
            }
            for address in ["127.0.0.1", "127.8.0.1", "::1"] {
                #expect(try await rosaSignsIn(from: address) == 200, "\(address)")
            }
            for address in ["203.0.113.200", "172.17.0.1", "2001:db8::1", "unknown", "127.evil"] {
                #expect(try await rosaSignsIn(from: address) == 401, "\(address)")
                let wrong = try await status(rosa.managedID, "wrong-word-1", from: address, school)
                #expect(wrong == 401)
            }
            let tries = try school.sql(
                """
                select c.failed_tries as tries from school.credential as c
                  join school.person as p using (organization_id, person_id)
                 where p.managed_id = \(rosa.managedID)
                """)
            #expect(try tries[0].int("tries") == 0, "strangers lock nobody out")
            let tom = Persona.tom.managedID
            let elsewhere = try await status(
                tom, Persona.password, from: "203.0.113.200", school)
            #expect(elsewhere == 200, "other schools are reached from everywhere")
            var found = try await findings(school)
            #expect(found.contains("demonstration") && !found.contains("demonstration_network"))
            let opened = try await homeroom("demo", "--network", "allow")
            #expect(opened.status == 0 && opened.output.contains("--network refuse"))
            #expect(try await rosaSignsIn(from: "203.0.113.200") == 200)
            found = try await findings(school)
            #expect(found.contains("demonstration_network"))
            let closed = try await homeroom("demo", "--network", "refuse", "--json")
            #expect(closed.json["isNew"] == false && closed.json["isLocal"] == true)
            #expect(try await rosaSignsIn(from: "203.0.113.200") == 401)
        }
    }
}
