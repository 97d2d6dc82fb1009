import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Recipients {
    @Test func `chosen students change, and nobody outside the class is chosen`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(recipients: ["source:sis-sam"])
            let path = school.path(handout)
            let both = try await school.patch(
                path, as: .cora, json: ["recipients": ["source:sis-sue", "source:sis-sam"]])
            #expect(both.json["recipients"]?.array?.count == 2)
            let sue = try await school.patch(
                path, as: .tom, json: ["recipients": ["source:sis-sue"]])
            #expect(sue.json["recipients"]?.array?.count == 1)
            #expect(try await school.get(path, as: .sam).status == 404)
            #expect(try await school.get(path, as: .sue).status == 200)
            let ben = try await school.patch(
                path, as: .tom, json: ["recipients": ["source:sis-sue", "source:sis-ben"]])
            #expect(ben.pointers == ["/recipients/1"])
            let everybody = try await school.patch(path, as: .tom, json: ["recipients": nil])
            #expect(everybody.json["recipients"] == "class")
            #expect(try await school.get(path, as: .sam).status == 200)
        }
    }

    @Test func `students who keep a handout keep its past, and new ones have none`() async throws {
        try await withSchool { school in
            let handout = try await school.oldHandout(recipients: ["source:sis-sam"])
            try school.sql(
                "update school.handout_recipient set created_at = now() - interval '2 hours'")
            try await school.change(handout, ["source:sis-sam", "source:sis-sue"])
            try await school.change(handout, "class")
            try await school.change(handout, ["source:sis-sam", "source:sis-sue"])
            for app: Persona in [.samsApp, .suesApp] {
                try await school.upload([school.past()], as: app)
            }
            #expect(try school.storedCount(of: .sam) == 1)
            #expect(try school.storedCount(of: .sue) == 0, "she has it from now on")
        }
    }

    @Test func `a student who gets it with the class has it from then on`() async throws {
        try await withSchool { school in
            let handout = try await school.oldHandout(recipients: ["source:sis-sam"])
            try school.sql(
                "update school.handout_recipient set created_at = now() - interval '2 hours'")
            try await school.change(handout, "class")
            for app: Persona in [.samsApp, .suesApp] {
                try await school.upload([school.past()], as: app)
            }
            #expect(try school.storedCount(of: .sam) == 1)
            #expect(try school.storedCount(of: .sue) == 0, "nobody had assigned it to her then")
            let now = school.attempt(
                at: ["capitals", "europe"], from: school.ago(0), to: .some(nil))
            try await school.upload([now], as: .suesApp)
            #expect(try school.storedCount(of: .sue) == 1)
        }
    }

    @Test func `work done before it was taken back is kept, and later work is not`()
        async throws
    {
        try await withSchool { school in
            let handout = try await school.oldHandout()
            try await school.change(handout, ["source:sis-sue"])
            let now = school.attempt(
                at: ["capitals", "europe"], from: school.ago(0), to: .some(nil))
            try await school.upload([school.past(), now], as: .samsApp)
            #expect(try school.storedCount(of: .sam) == 1)
            #expect(try await school.get(school.path(handout), as: .sam).status == 404)
            let report = try await school.get(school.path(handout, "/report"), as: .tom)
            let attempts = report.json["tasks"]?[0]?["students"]?.array?.map { $0["attempts"] }
            #expect(attempts == [1, 0], "he left it with something to show")
        }
    }

    @Test func `a student who left the class had it until then`() async throws {
        try await withSchool { school in
            let handout = try await school.oldHandout()
            try school.sql(
                """
                update school.seat set left_at = now() - interval '55 minutes'
                 where person_id = \(school.id(.sue))
                """)
            try await school.change(handout, ["source:sis-sam"])
            let later = school.attempt(
                at: ["capitals", "europe"], from: school.ago(50), to: school.ago(40))
            try await school.upload([school.past(), later], as: .suesApp)
            #expect(try school.storedCount(of: .sue) == 1)
        }
    }

    @Test func `receivers of exports learn whom it was taken back from`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            _ = try await school.patch(
                school.path(handout), as: .tom, json: ["recipients": ["source:sis-sam"]])
            let events = try school.sql(
                "select subject_id, person_id from school.deletion where kind = 'recipient'")
            #expect(try events.map { try $0.uuid("person_id") } == [school.id(.sue).uuid])
            #expect(try events[0].uuid("subject_id").description == handout["id"]?.text)
        }
    }
}

extension TestSchool {
    /// A handout for Capitals of Europe that was published two hours ago.
    fileprivate func oldHandout(recipients: JSONValue = nil) async throws -> JSONValue {
        try plantContexts()
        let handout = try await handout(recipients: recipients)
        try sql(
            """
            update school.handout set created_at = now() - interval '3 hours',
                   publish_at = now() - interval '2 hours';
            """)
        try sql("update school.task set created_at = now() - interval '2 hours'")
        return handout
    }

    /// An attempt at it, an hour ago.
    fileprivate func past() -> JSONValue {
        attempt(at: ["capitals", "europe"], from: ago(60), to: ago(50))
    }

    fileprivate func change(_ handout: JSONValue, _ recipients: JSONValue) async throws {
        let answer = try await patch(path(handout), as: .tom, json: ["recipients": recipients])
        #expect(answer.status == 200)
    }
}
