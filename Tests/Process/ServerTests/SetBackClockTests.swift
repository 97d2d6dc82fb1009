import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// A machine whose clock was half an hour ahead, until it was set back while the service ran.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ClocksThatAreSetBack {
    @Test func `what began in the future can be changed and ended`() async throws {
        try await withSetBackClock { school, setBack in
            let biology = JSONValue.text(school.biology.uuid.description)
            let sam = JSONValue.text(school.id(.sam).uuid.description)
            let draft = try await school.make("/v1/handouts", handout(biology, publishAt: nil))
            let given = try await school.make("/v1/handouts", handout(biology))
            let chosen = try await school.make(
                "/v1/handouts", handout(biology, recipients: .array([sam])))
            #expect(try await school.put("\(given)/lock", as: .tom).status == 200)
            let person = try await school.make(
                "/v1/people",
                [
                    "givenName": "New", "familyName": "Student",
                    "roles": [
                        [
                            "role": "student",
                            "locationId": .text(school.mainLocation.uuid.description),
                        ]
                    ],
                ], by: .ada)
            let students = "/v1/classes/\(school.biology.uuid)/students"
            let newcomer = person.split(separator: "/").last.map(String.init) ?? ""
            try await school.setRoster(students, [sam, .text(newcomer)])
            try await setBack()

            for (method, path, body) in [
                (.post, "\(draft)/publication", nil), (.delete, "\(given)/lock", nil),
                (.post, "\(given)/publication", nil),
                (.patch, chosen, ["recipients": "class"]), (.post, "\(given)/completion", nil),
                (.put, "\(given)/archive", nil), (.delete, chosen, nil),
            ] as [(HTTPMethod, String, JSONValue?)] {
                let answer = try await school.send(
                    method, path, as: .tom, body: body?.bytes ?? [])
                #expect(answer.status < 300, "\(method) \(path): \(answer.text)")
            }
            let published = try await school.get(draft, as: .tom)
            #expect(published.json["state"]?.text == "published", "\(published.text)")
            try await school.setRoster(students, [sam])
            let left = try await school.put("\(person)/deactivation", as: .ada)
            #expect(left.status == 200, "\(left.text)")
            let again = try await school.delete("\(person)/deactivation", as: .ada)
            #expect(again.status == 200, "\(again.text)")
            try await school.setRoster(students, [sam, .text(newcomer)])
        }
    }

    @Test func `sign-ins stay valid, and one that ended stays ended`() async throws {
        try await withSetBackClock { school, setBack in
            let kept = try await signIn(school)
            let ended = try await signIn(school)
            let out = try await school.send(
                .post, "/v1/sign-out", token: ended["accessToken"]?.text)
            #expect(out.status == 204, "\(out.text)")
            try await setBack()
            let me = try await school.send(.get, "/v1/me", token: kept["accessToken"]?.text)
            #expect(me.status == 200, "\(me.text)")
            let other = try await school.send(.get, "/v1/me", token: ended["accessToken"]?.text)
            #expect(other.status == 401, "\(other.text)")
            let renewal: JSONValue = ["refreshToken": kept["refreshToken"] ?? .null]
            let renewed = try await school.post("/v1/sign-in/refresh", as: nil, json: renewal)
            #expect(renewed.status == 200, "\(renewed.text)")
            _ = try await signIn(school)
        }
    }

    @Test func `uploads are stored and reported, before and after`() async throws {
        try await withSetBackClock { school, setBack in
            let given = try school.newHandout()
            let first = school.attempt(from: school.ago(20), to: school.ago(10))
            #expect(try await school.upload([first]).status == 202)
            let before = try await school.get("/v1/handouts/\(given.id.uuid)/report", as: .tom)
            #expect(before.status == 200, "\(before.text)")
            try await setBack()
            let second = school.attempt(from: school.ago(2), to: .some(nil))
            #expect(try await school.upload([second]).status == 202)
            #expect(try await school.upload([second]).status == 202, "once more")
            #expect(try school.storedCount() == 2)
            let after = try await school.get("/v1/handouts/\(given.id.uuid)/report", as: .tom)
            #expect(after.status == 200, "\(after.text)")
            #expect(after.text != before.text, "the second attempt is in it")
            let viewed = try await school.get("/v1/viewings", as: .ada)
            #expect(viewed.status == 200, "\(viewed.text)")
        }
    }

    @Test func `the feed of changes, the audit trail and exports go on where they were`()
        async throws
    {
        try await withSetBackClock { school, setBack in
            let root = FileManager.default.temporaryDirectory.appending(
                path: "clock-\(Foundation.UUID().uuidString)"
            ).path
            defer { try? FileManager.default.removeItem(atPath: root) }
            let students = "/v1/classes/\(school.biology.uuid)/students"
            let sam = JSONValue.text(school.id(.sam).uuid.description)
            try await school.setRoster(students, [sam])
            #expect(try await school.homeroom("export", "--out", root).status == 0)
            let position = try #require(
                try await school.get("/v1/changes", as: .ada).json["position"]?.text)
            let events = try await school.events()
            try await setBack()

            let ben = JSONValue.text(school.id(.ben).uuid.description)
            try await school.setRoster(students, [sam, ben])
            try await eventually {
                let changes = try await school.get("/v1/changes?after=\(position)", as: .ada)
                return changes.json["items"]?.array?.contains {
                    $0["id"] == .text(school.biology.uuid.description)
                } == true
            }
            let added = try await school.events().subtracting(events)
            #expect(added.map(\.kind).contains("rosterChange"), "\(added)")
            #expect(
                try school.sql("select from school.broken_audit_events(\(school.hillside))").isEmpty
            )
            let exported = try await school.homeroom("export", "--out", root, "--again")
            #expect(exported.status == 0, "\(exported.complaints)")
            let whole = try await school.homeroom("export", "verify", root)
            #expect(whole.status == 0, "\(whole.complaints)")
        }
    }
}

/// Signs Sam in; returns the tokens.
private func signIn(_ school: TestSchool) async throws -> JSONValue {
    let answer = try await school.post(
        "/v1/sign-in", as: nil,
        json: ["managedId": .text(Persona.sam.managedID), "password": .text(Persona.password)])
    try #require(answer.status == 200, "\(answer.text)")
    return answer.json
}

/// A handout with a link.
private func handout(
    _ classID: JSONValue, publishAt: JSONValue = "2020-01-01T00:00:00Z", recipients: JSONValue = nil
) -> JSONValue {
    let handout: JSONValue = [
        "classId": classID, "title": "Maps", "publishAt": publishAt, "recipients": recipients,
        "tasks": [["kind": "link", "url": "https://maps.example", "title": "A map"]],
    ]
    return handout.withoutNulls
}

/// Gives the test a school whose database has a clock that is half an hour ahead, and what sets it back.
private func withSetBackClock(
    _ body: (_ school: TestSchool, _ setBack: () async throws -> Void) async throws -> Void
) async throws {
    let (database, clock) = try TestDatabase.clocked()
    try await withSchool(in: database) { school in
        func ahead() throws -> Int64 {
            let moment = try school.sql("select school.moment() as moment")[0].timestamp("moment")
            return (moment.milliseconds - Clock.system.now.milliseconds) / 1000
        }
        try school.moveAllToNoon()
        try clock.set(ahead: 1800)
        try #require(try 1700...1800 ~= ahead(), "the clock of the database is not ahead")
        try await body(school) {
            try clock.set(ahead: 0)
            try #require(try -100...1 ~= ahead(), "the clock was not set back")
        }
    }
}

extension TestSchool {
    /// Gives all organizations a time zone in which it is noon, so that no day begins meanwhile.
    fileprivate func moveAllToNoon() throws {
        let hour = Int(Clock.system.now.milliseconds / 3_600_000 % 24)
        // POSIX counts westwards.
        let zone = hour < 12 ? "Etc/GMT-\(12 - hour)" : "Etc/GMT+\(hour - 12)"
        try sql("update school.organization set time_zone = \(zone)")
    }

    /// Makes something and returns its path.
    fileprivate func make(
        _ path: String, _ body: JSONValue, by persona: Persona = .tom
    ) async throws -> String {
        let answer = try await post(path, as: persona, json: body)
        try #require(answer.status == 201, "\(answer.text)")
        return try "\(path)/\(#require(answer.json["id"]?.text))"
    }

    fileprivate func setRoster(_ path: String, _ people: [JSONValue]) async throws {
        let answer = try await put(path, as: .petra, json: ["personIds": .array(people)])
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// The newest audit events.
    fileprivate func events() async throws -> Set<AuditEvent> {
        let answer = try await get("/v1/audit-events?limit=1000", as: .ada)
        return try Set(
            answer.items.map {
                AuditEvent(
                    id: try #require($0["id"]?.text), kind: try #require($0["kind"]?.text))
            })
    }
}

private struct AuditEvent: Hashable {
    let id: String
    let kind: String
}
