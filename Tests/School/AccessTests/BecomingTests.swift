import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

/// Whom a caller could become, walked over the map that decides it (`ways_in` in SQL).
@Suite struct Becoming {
    /// A row of the map.
    struct Way: Hashable {
        let way: String
        let standing: String
    }

    /// People in whose place one might want to be.
    enum Victim: String, CaseIterable {
        /// A student in a class that Tom teaches, who signs in with a password.
        case sam
        /// A teacher who signs in with a password.
        case cora
        /// A teacher who signs in with a provider and has no password.
        case tess
        /// Taught once, and is a student by role today.
        case sue
        /// A teacher who was never here.
        case otto
        /// An administrator.
        case ada

        /// Nobody but an administrator may become one who teaches or taught, unless the way is the person's first.
        func isWithin(_ reach: String) -> Bool {
            switch reach {
            case "everyone": true
            case "untaught": [.sam, .otto].contains(self)
            case "first": self == .otto
            case "students", "pupils": self == .sam
            default: false
            }
        }
    }

    private func prepare(_ school: TestSchool) throws {
        try school.sql("update school.person set first_sign_in_at = school.moment()")
        try school.sql(
            """
            insert into school.managed_id_directory (managed_id, organization_id, person_id)
            values ('olaf@hillside.example', \(school.hillside), \(newcomer))
            """)
        try school.sql(
            """
            insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
            values (\(school.hillside), \(newcomer), 'Olaf', 'New', 'olaf@hillside.example')
            """)
        try school.sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            values (\(school.hillside), \(newcomer), \(TestIDs.mainLocation), 'teacher')
            """)
        try school.sql("delete from school.credential where person_id = \(school.id(.tess))")
        try school.sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
            values (\(school.hillside), \(TestIDs.chemistry), \(school.id(.sue)), 'teacher',
                    school.moment() - interval '9 days', school.moment() - interval '8 days')
            """)
    }

    private let newcomer = PersonID(UUID(milliseconds: 1_790_000_000_000, random: (7, 7)))

    private func id(_ victim: Victim, in school: TestSchool) -> PersonID {
        victim == .otto ? newcomer : school.id(Persona(rawValue: victim.rawValue)!)
    }

    /// Ben manages the site here, too: no persona of the made-up school does.
    private static let siteManager = Persona.ben

    private func makeSiteManager(_ school: TestSchool) throws {
        try school.sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            values (\(school.hillside), \(school.id(Self.siteManager)), \(TestIDs.mainLocation), 'siteManager')
            """)
        // A change of roles ends tokens.
        try school.sql(
            """
            update school.access_token set revoked_at = null where person_id = \(school.id(Self.siteManager))
            """)
    }

    private func standing(of persona: Persona) -> Standing {
        persona == Self.siteManager ? .siteManager : persona.fixedStanding ?? persona.roles[0]
    }

    private func map(_ school: TestSchool) throws -> [Way: String] {
        var map: [Way: String] = [:]
        for row in try school.sql("select way, standing, reach from school.ways_in()") {
            let way = Way(way: try row.text("way"), standing: try row.text("standing"))
            #expect(map.updateValue(try row.text("reach"), forKey: way) == nil)
        }
        return map
    }

    @Test(arguments: ["password", "email", "managedId", "link", "badge"])
    func `the calls let nobody become another but where the map says so`(way: String) async throws {
        let callers: [Persona] = [
            .ada, Self.siteManager, .petra, .mara, .tom, .provisioner, .directoryWriter, .exporter,
            .rosterReader,
        ]
        for victim in Victim.allCases {
            try await withSchool { school in
                try prepare(school)
                try makeSiteManager(school)
                if way == "badge" { try await prepareBadges(for: id(victim, in: school), school) }
                let map = try map(school)
                let walked = Set(callers.map { standing(of: $0).rawValue })
                #expect(Set(map.keys.map(\.standing)).subtracting(walked) == [])
                // An administrator ends the sign-ins of the others, so comes last.
                for persona in callers.reversed() where persona.rawValue != victim.rawValue {
                    let standing = standing(of: persona)
                    let reach = map[Way(way: way, standing: standing.rawValue)] ?? "nobody"
                    let isTaken = try await take(
                        way, of: id(victim, in: school), as: persona, in: school)
                    #expect(
                        isTaken == victim.isWithin(reach), "\(way) of \(victim) by \(standing)")
                    if isTaken { try undo(way, of: id(victim, in: school), in: school) }
                }
            }
        }
    }

    @Test func `without passwords, nobody sets one but an administrator an administrator's`()
        async throws
    {
        let callers: [Persona] = [
            Self.siteManager, .petra, .mara, .tom, .provisioner, .directoryWriter, .ada,
        ]
        for victim in Victim.allCases {
            try await withSchool(client: FakeIssuer()) { school in
                try prepare(school)
                try makeSiteManager(school)
                _ = try await school.connect(FakeIssuer())
                try await school.giveUpPasswords()
                for persona in callers {
                    let isTaken = try await take(
                        "password", of: id(victim, in: school), as: persona, in: school)
                    #expect(isTaken == (victim == .ada && persona == .ada), "\(victim) \(persona)")
                }
            }
        }
    }

    /// Makes a first password the first again.
    private func undo(_ way: String, of id: PersonID, in school: TestSchool) throws {
        guard way == "password", id == newcomer else { return }
        try school.sql("delete from school.credential where person_id = \(id)")
    }

    @Test(arguments: ["email", "managedId"])
    func `so does the database, whatever the server forgets`(way: String) async throws {
        try await withSchool { school in
            try prepare(school)
            let map = try map(school).filter { $0.key.way == way }
            #expect(map.count == 6, "every standing that writes people is in the map")
            for (key, reach) in map {
                let standing = try #require(Standing(rawValue: key.standing))
                let caller = Caller(
                    organizationID: school.hillside, personID: school.id(.petra),
                    standings: [standing])
                for victim in Victim.allCases where victim != .ada || reach == "everyone" {
                    let id = id(victim, in: school)
                    let column: Statement = way == "email" ? "email" : "managed_id"
                    let mail = "\(victim)-\(standing.rawValue.lowercased())@hillside.example"
                    try school.sql(
                        """
                        insert into school.managed_id_directory (managed_id, organization_id, person_id)
                        values (\(mail), \(school.hillside), \(id))
                        """)
                    let write: Statement = """
                        update school.person set \(fragment: column) = \(mail)
                         where organization_id = \(school.hillside) and person_id = \(id)
                        """
                    if victim.isWithin(reach) {
                        #expect(try school.sql(write, as: caller).affected == 1, "\(key) \(victim)")
                    } else {
                        let seen = try school.sql(
                            "select from school.person where person_id = \(id)", as: caller)
                        #expect(seen.count == 1, "the person is there and visible")
                        let error = #expect(throws: PostgresError.self) {
                            try school.sql(write, as: caller)
                        }
                        #expect(error?.sqlState == "42501", "\(key) \(victim)")
                    }
                }
            }
        }
    }

    @Test func `an email that stays the same, but for capitals, is nobody's new key`() async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set email = 'Cora@hillside.example', first_sign_in_at = school.moment()
                 where person_id = \(school.id(.cora))
                """)
            let path = "/v1/people/\(school.id(.cora).uuid)"
            for email in ["Cora@hillside.example", "cora@hillside.example"] {
                let answer = try await school.patch(
                    path, as: .petra, json: ["email": .text(email), "grade": "x"])
                #expect(answer.status == 200, "\(answer.text)")
            }
            let other = try await school.patch(path, as: .petra, json: ["email": .null])
            #expect(other.status == 403 && other.pointers == ["/email"])
            #expect(other.json["code"] == "guarded_sign_in")
        }
    }

    @Test func `a script that sends no email leaves a teacher's, and erases others`() async throws {
        try await withSchool { school in
            for (persona, source) in [(Persona.cora, "T9"), (.sam, "S9")] {
                try school.sql(
                    """
                    update school.person set source_id = \(source), first_sign_in_at = school.moment(),
                           email = \("\(persona)@mail.example")
                     where person_id = \(school.id(persona))
                    """)
            }
            func email(_ source: String) throws -> String? {
                try school.sql("select email from school.person where source_id = \(source)")
                    .first?.optionalText("email")
            }
            func person(_ role: String, _ grade: String) -> JSONValue {
                let location = JSONValue.text("\(TestIDs.mainLocation.uuid)")
                return [
                    "givenName": "Given", "familyName": "Example", "grade": .text(grade),
                    "roles": [["role": .text(role), "locationId": location]],
                ]
            }
            let put = try await school.put(
                "/v1/people/source:T9", as: .provisioner, json: person("teacher", "1"))
            #expect(put.status == 200, "\(put.text)")
            #expect(put.json["email"] == "cora@mail.example" && put.json["grade"] == "1")
            var items: [JSONValue] = []
            for (source, role) in [("T9", "teacher"), ("S9", "student")] {
                var item = person(role, "2").object!
                item["sourceId"] = .text(source)
                items.append(.object(item))
            }
            let batch = try await school.post(
                "/v1/people/batch", as: .provisioner, json: ["items": .array(items)])
            #expect(batch.status == 200 && !batch.text.contains("guarded"), "\(batch.text)")
            #expect(try email("T9") == "cora@mail.example")
            #expect(try email("S9") == nil)
            let cleared = try await school.patch(
                "/v1/people/source:T9", as: .provisioner, json: ["email": .null])
            #expect(cleared.status == 403 && cleared.pointers == ["/email"])
        }
    }

    @Test func `a batch names the row, and takes the others`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set source_id = 'T9', first_sign_in_at = school.moment()
                 where person_id = \(school.id(.cora))
                """)
            let role: JSONValue = [
                ["role": "teacher", "locationId": .text("\(TestIDs.mainLocation.uuid)")]
            ]
            func row(_ source: String, _ more: JSONValue) -> JSONValue {
                var row = JSONObject([
                    ("sourceId", .text(source)), ("givenName", "Cora"), ("familyName", "Example"),
                    ("roles", role),
                ])
                for member in more.object!.members { row[member.key] = member.value }
                return .object(row)
            }
            for (more, pointer) in [
                (["email": "x@hillside.example"] as JSONValue, "email"),
                (["managedId": "x@hillside.example"], "managedId"),
            ] {
                let answer = try await school.post(
                    "/v1/people/batch", as: .provisioner,
                    json: ["items": [row("T9", more), row("T10-\(pointer)", [:])]])
                #expect(answer.text.contains("guarded_sign_in"), "\(answer.text)")
                #expect(answer.text.contains("\"created\""), "\(answer.text)")
            }
            let kept = try school.sql(
                "select email, managed_id from school.person where source_id = 'T9'")[0]
            #expect(try kept.optionalText("email") == nil)
            #expect(try kept.text("managed_id") == Persona.cora.managedID)
        }
    }
}
