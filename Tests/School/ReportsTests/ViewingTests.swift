import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// Every call that shows teachers the work of students leaves a viewing.
@Suite("Who looked at students' work")
struct ViewingTests {
    /// Those that answer once, also with the class and the student named by the ids of the school's own system.
    static let calls: [ViewedCalls.Call] = {
        let calls = ViewedCalls.all.filter { !$0.path.hasSuffix("/events") }
        let named = calls.compactMap { call -> ViewedCalls.Call? in
            let path = call.path.replacing("classes/{id}", with: "classes/source:class-Biology")
                .replacing("{personId}", with: "source:sis-sam")
            return path == call.path ? nil : ViewedCalls.Call(path: path, isOfOne: call.isOfOne)
        }
        return calls + named
    }()

    @Test(arguments: calls) func `reading leaves one viewing, as JSON and as CSV`(
        call: ViewedCalls.Call
    ) async throws {
        try await withSchool { school in
            let path = try await school.path(call.path)
            #expect(try school.viewings().isEmpty)
            #expect(try await school.get(path, as: .tom).status == 200)
            let expected = [
                "tom Biology \(call.isOfOne ? "sam" : "everyone") 1"
            ]
            #expect(try school.viewings() == expected)
            let csv = try await school.send(
                "GET", path, as: .tom, headers: [("Accept", "text/csv, application/json")])
            #expect(csv.status == 200)
            #expect(try school.viewings() == expected)
        }
    }

    @Test func `a live report leaves one when it is opened`() async throws {
        try await withSchool { school in
            let path = try await school.path("/v1/handouts/{id}/report/events")
            _ = try await school.get(path, as: .tom)
            #expect(try school.viewings() == ["tom Biology everyone 1"])
        }
    }

    @Test func `what shows no work leaves none, and nor does one's own or a refusal`() async throws
    {
        try await withSchool { school in
            let report = try await school.path("/v1/handouts/{id}/report")
            for path in ["/v1/handouts", "/v1/me/overview", "/v1/me/news", "/v1/me/insights"] {
                #expect(try await school.get(path, as: .tom).status == 200)
            }
            #expect(try await school.get("/v1/me/report", as: .sam).status == 200)
            #expect(try await school.get(report, as: .tess).status == 404)
            #expect(try await school.get(report, as: .ada).status == 403)
            #expect(try school.viewings().isEmpty)
            #expect(try await school.get(report, as: .cora).status == 200)
            #expect(try school.viewings() == ["cora Biology everyone 1"])
        }
    }

    @Test func `viewings of a day are folded, and a day is one where the school is`() async throws {
        try await withSchool { school in
            let note = { (moment: String) throws in
                try school.sql("select set_config('test.moment', \(moment), false)")
                try school.sql(
                    """
                    do $$ begin
                        perform set_config('school.organization', \
                            (select organization_id::text from school.organization where name = 'Hillside'), true);
                        perform set_config('school.person', \
                            (select person_id::text from school.person where given_name = 'Tom'), true);
                        perform school.note_viewing(null, null, 'class-Biology', null, null,
                                                    current_setting('test.moment')::timestamptz);
                    end $$
                    """)
            }
            // Berlin is an hour ahead of UTC in winter: the last one is on the next day.
            for moment in ["21:00:00", "21:00:59", "21:01:00", "20:00:00", "23:00:00"] {
                try note("2026-01-05T\(moment)Z")
            }
            let rows = try school.sql(
                """
                select concat_ws(' ', viewed_on, times, first_at at time zone 'UTC', last_at at time zone 'UTC') as row
                  from school.viewing order by viewed_on
                """)
            #expect(
                try rows.map { try $0.text("row") } == [
                    "2026-01-05 3 2026-01-05 20:00:00 2026-01-05 21:01:00",
                    "2026-01-06 1 2026-01-05 23:00:00 2026-01-05 23:00:00",
                ])
        }
    }

    @Test func `a viewing that cannot be written fails no report, and is written later`()
        async throws
    {
        try await withSchool { school in
            let path = try await school.path("/v1/handouts/{id}/report")
            try school.sql("alter table school.viewing add constraint is_closed check (times = 0)")
            // Once, as two could be in two minutes, which count as two viewings.
            #expect(try await school.get(path, as: .tom).status == 200)
            #expect(try school.viewings().isEmpty)
            try school.sql("alter table school.viewing drop constraint is_closed")
            try await school.untilViewingsAreWritten()
            #expect(try school.viewings() == ["tom Biology everyone 1"])
        }
    }

    @Test func `a row that another transaction holds fails no report`() async throws {
        try await withSchool { school in
            let path = try await school.path("/v1/handouts/{id}/report")
            try school.sql("begin")
            try school.sql("lock table school.viewing in exclusive mode")
            #expect(try await school.get(path, as: .tom).status == 200)
            try school.sql("commit")
            try await school.untilViewingsAreWritten()
            #expect(try school.viewings() == ["tom Biology everyone 1"])
        }
    }

    @Test func `nobody notes a viewing of a class that he or she never taught`() async throws {
        try await withSchool { school in
            for persona in [Persona.tess, .tom] {
                try await school.note(persona)
            }
            #expect(try school.viewings() == ["tom Biology everyone 1"])
            try school.sql("update school.seat set left_at = now() - interval '1 day'")
            try await school.note(.cora)
            #expect(
                try school.viewings() == ["cora Biology everyone 1", "tom Biology everyone 1"],
                "a viewing may be written when the reader has left the class")
        }
    }
}

extension TestSchool {
    /// A path with the ids of a handout in Biology that Sam worked at.
    fileprivate func path(_ pattern: String) async throws -> String {
        let handout = try newHandout()
        try await upload([result(40, Item.score(1, of: 2))])
        let answer = try await put(
            "/v1/handouts/\(handout.id.uuid)/students/\(id(.sam).uuid)/tasks/\(handout.task.uuid)/return",
            as: .tom, json: ["note": "Well done."])
        #expect(answer.status == 200)
        try sql(
            """
            insert into school.mark (organization_id, mark_id, handout_id, task_id, person_id, author_id, points,
                                     maximum_points, given_at)
            select \(hillside), gen_random_uuid(), \(handout.id), t, \(self.id(.sam)), \(self.id(.tom)), 1, 2, now()
              from unnest(array[null, \(handout.task)]::uuid[]) as t
            """)
        let id = pattern.hasPrefix("/v1/handouts") ? handout.id.uuid : biology.uuid
        return pattern.replacing("{id}", with: "\(id)")
            .replacing("{personId}", with: "\(self.id(.sam).uuid)")
            .replacing("{taskId}", with: "\(handout.task.uuid)")
            .replacing("{bundleId}", with: quizzler)
    }

    /// Notes that a persona looked at Biology, as the server does.
    fileprivate func note(_ persona: Persona) async throws {
        let caller = Caller(
            organizationID: hillside, personID: persona.personID, standings: [.teacher])
        let database = database
        let biology = Reference.id(biology)
        await onItsLoop {
            await Viewings(database: database).note(ViewedWork(in: biology), as: caller)
        }
    }

    /// Asks again and again, as the timer's own attempt may hold the viewing when this one looks for it.
    fileprivate func untilViewingsAreWritten() async throws {
        try await eventually {
            try await storeUploads()
            return try !viewings().isEmpty
        }
    }

    /// Who looked where at whose work, and how often.
    fileprivate func viewings() throws -> [String] {
        try sql(
            """
            select concat_ws(' ', lower(r.given_name), c.name, coalesce(lower(s.given_name), 'everyone'), v.times) as text
              from school.viewing as v
              join school.person as r on r.person_id = v.reader_id
              join school.class as c on c.class_id = v.class_id
              left join school.person as s on s.person_id = v.student_id
             order by 1
            """
        ).map { try $0.text("text") }
    }
}
