import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct HistoryOfRosters {
    @Test
    func `a roster is shown as of a day, and a person who leaves on a day is not there that day`()
        async throws
    {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let ben = try await school.put(
                "\(path)/source:sis-ben", as: .ada,
                json: ["joinedOn": school.day(-20), "leftOn": school.day(-10)])
            #expect(ben.status == 201)
            #expect(ben.json["joinedOn"] == school.day(-20))
            #expect(ben.json["leftOn"] == school.day(-10))
            for (day, names) in [
                (-70, []), (-21, ["Sam", "Sue"]), (-20, ["Ben", "Sam", "Sue"]),
                (-11, ["Ben", "Sam", "Sue"]), (-10, ["Sam", "Sue"]), (0, ["Sam", "Sue"]),
                (1, ["Sam", "Sue"]),
            ] {
                let roster = try await school.get(
                    "\(path)?asOf=\(school.day(day).text ?? "")", as: .tom)
                #expect(roster.items.compactMap { $0["givenName"]?.text } == names, "\(day)")
            }
            #expect(try await school.get("\(path)?asOf=yesterday", as: .tom).status == 400)
            let day = school.day(-15).text ?? ""
            #expect(try await school.get("\(path)?asOf=\(day)", as: .tess).status == 404)
        }
    }

    @Test func `a day of a roster is a day at the class's location`() async throws {
        try await withSchool { school in
            // Its days begin at least eleven hours before those of the organization.
            let zone = "Pacific/Kiritimati"
            try school.sql(
                "update school.location set time_zone = \(zone) where location_id = \(school.mainLocation)"
            )
            let path = "/v1/classes/\(school.biology.uuid)/students"
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
                values (\(school.hillside), \(school.biology), \(school.id(.ben)), 'student',
                        \(school.day(-20).text ?? "")::text::timestamp at time zone \(zone),
                        \(school.day(-10).text ?? "")::text::timestamp at time zone \(zone))
                """)
            for (day, isThere) in [(-21, false), (-20, true), (-11, true), (-10, false)] {
                let roster = try await school.get(
                    "\(path)?asOf=\(school.day(day).text ?? "")", as: .tom)
                let names = roster.items.compactMap { $0["givenName"]?.text }
                #expect(names.contains("Ben") == isThere, "\(day)")
            }
            let seats = try await school.get(
                "/v1/classes/\(school.biology.uuid)/seats?personId=source:sis-ben", as: .tom)
            #expect(seats.items[0]["joinedOn"] == school.day(-20))
            #expect(seats.items[0]["leftOn"] == school.day(-10))
        }
    }

    @Test func `a person who comes back keeps the earlier stay`() async throws {
        try await withSchool { school in
            let seat = "/v1/classes/\(school.biology.uuid)/students/source:sis-sam"
            let seats = "/v1/classes/\(school.biology.uuid)/seats?personId=source:sis-sam"
            #expect(try await school.delete(seat, as: .ada).status == 204)
            #expect(try await school.put(seat, as: .ada).status == 201)
            let stays = try await school.get(seats, as: .tom)
            #expect(stays.items.count == 2)
            #expect(stays.items[0]["leftOn"] == school.day(1), "there for a part of today")
            #expect(stays.items[1]["leftOn"] == .null)
            #expect(stays.items[1]["joinedOn"] == school.day(0))
            let first = try await school.get("\(seats)&limit=1", as: .tom)
            let token = try #require(first.text("nextPageToken"))
            let second = try await school.get("\(seats)&limit=1&pageToken=\(token)", as: .tom)
            #expect(second.items == [stays.items[1]])
            let other = try await school.get(
                "/v1/classes/\(school.biology.uuid)/seats?limit=1&pageToken=\(token)", as: .tom)
            #expect(other.status == 400, "a token is bound to its filters")
            let teachers = try await school.get(
                "/v1/classes/\(school.biology.uuid)/seats?role=teacher", as: .cora)
            #expect(teachers.items.count == 2)
            for (persona, status) in [(Persona.tess, 404), (.olga, 404), (.sam, 403)] {
                #expect(try await school.get(seats, as: persona).status == status)
            }
        }
    }

    @Test func `a seat that begins later is on the roster from then on`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)"
            let seat = "\(path)/students/source:sis-ben"
            let made = try await school.put(seat, as: .ada, json: ["joinedOn": school.day(5)])
            #expect(made.status == 201)
            #expect(try await school.get(path, as: .ada).texts("studentIds").count == 2)
            let then = try await school.get(
                "\(path)/students?asOf=\(school.day(5).text ?? "")", as: .ada)
            #expect(then.items.count == 3)
            let again = try await school.put(seat, as: .ada, json: ["joinedOn": school.day(5)])
            #expect(again.status == 200)
            #expect(again.header("etag") == made.header("etag"))
            let ended = try await school.put(
                seat, as: .ada, json: ["joinedOn": school.day(5), "leftOn": school.day(9)])
            #expect(ended.status == 200)
            #expect(ended.json["leftOn"] == school.day(9))
            let all = try await school.get("\(path)/students", as: .ada)
            #expect(all.items.count == 2)
            #expect(try await school.delete(seat, as: .ada).status == 204)
            let none = try await school.get("\(path)/seats?personId=source:sis-ben", as: .ada)
            #expect(none.items.isEmpty, "it never began")
        }
    }

    @Test func `a roster that is sent begins at once, even for those who were to join later`()
        async throws
    {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let seat = "\(path)/source:sis-ben"
            for body: JSONValue in [
                ["personIds": ["source:sis-ben"]],
                ["personIds": ["source:sis-ben", "source:sis-sam"]],
            ] {
                _ = try await school.delete(seat, as: .ada)
                let later = try await school.put(seat, as: .ada, json: ["joinedOn": school.day(5)])
                #expect(later.status == 201)
                let now = try await school.put(path, as: .ada, json: body)
                #expect(now.texts("personIds").contains(school.id(.ben).uuid.description))
            }
            let stays = try await school.get(
                "/v1/classes/\(school.biology.uuid)/seats?personId=source:sis-ben", as: .ada)
            #expect(stays.items.count == 2)
        }
    }

    @Test func `days that contradict the history are refused`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(school.biology.uuid)/students"
            let ben = "\(path)/source:sis-ben"
            _ = try await school.put(
                ben, as: .ada, json: ["joinedOn": school.day(-20), "leftOn": school.day(-10)])
            let cases: [(String, JSONValue, String, String)] = [
                (
                    ben, ["joinedOn": school.day(2), "leftOn": school.day(2)], "/leftOn",
                    "leaves_first"
                ),
                (ben, ["leftOn": school.day(-1)], "/leftOn", "leaves_first"),
                (ben, ["joinedOn": school.day(-15)], "/joinedOn", "overlaps_stay"),
                (
                    ben, ["joinedOn": school.day(-30), "leftOn": school.day(-19)], "/joinedOn",
                    "overlaps_stay"
                ),
                (
                    "\(path)/source:sis-sam", ["joinedOn": school.day(3)], "/joinedOn",
                    "already_joined"
                ),
                (ben, ["joinedOn": "2026-13-01"], "/joinedOn", "malformed"),
                (ben, ["joinedAt": "2026-11-01"], "/joinedAt", "unknown_field"),
            ]
            for (target, body, pointer, code) in cases {
                let answer = try await school.put(target, as: .ada, json: body)
                #expect(answer.status == 422, "\(code)")
                #expect(answer.pointers == [pointer])
                #expect(answer.json["errors"]?[0]?["code"]?.text == code)
            }
            let before = try await school.put(
                ben, as: .ada, json: ["joinedOn": school.day(-30), "leftOn": school.day(-20)])
            #expect(before.status == 201, "one stay may end on the day on which the next begins")
        }
    }

    @Test func `a beginning in the past says when it was recorded`() async throws {
        try await withSchool { school in
            let ben = "/v1/classes/\(school.biology.uuid)/students/source:sis-ben"
            #expect(
                try await school.put(ben, as: .ada, json: ["joinedOn": school.day(-5)]).status
                    == 201)
            let earlier = try await school.put(ben, as: .ada, json: ["joinedOn": school.day(-9)])
            #expect(earlier.status == 200)
            #expect(earlier.json["joinedOn"] == school.day(-9))
            let seats = try school.sql(
                """
                select recorded_at > now() - interval '1 hour' as late, joined_at < now() - interval '8 days' as early
                  from school.seat
                 where class_id = \(school.biology) and person_id = \(school.id(.ben))
                """)
            #expect(seats.count == 1)
            #expect(try seats[0].bool("late") && seats[0].bool("early"))
        }
    }
}

extension TestSchool {
    /// A day of the school by its distance from today.
    func day(_ distance: Int) -> JSONValue {
        let rows = try? sql(
            "select ((now() at time zone 'Europe/Berlin')::date + \(distance)::integer)::text as day"
        )
        return (try? rows?[0].text("day")).map { .text($0) } ?? .null
    }
}
