import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// An upload is answered as soon as it lies in the inbox, whoever sent it, and stored afterwards.
@Suite("the inbox of uploads")
struct InboxTests {
    @Test func `every upload and completion is one row of the inbox, and nothing else happens`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            for (number, app) in [Persona.samsApp, .suesApp, .tomsApp].enumerated() {
                let uploaded = try await school.leave([school.attempt()], as: app)
                let completed = try await school.send(
                    .post, "/v1/me/completions", token: app.token,
                    body: (["identifierPath": ["unit-2", "check-1"]] as JSONValue).bytes,
                    settling: false)
                #expect(uploaded.status == 202 && completed.status == 202)
                #expect(uploaded.body == completed.body)
                #expect(try school.inboxCount() == 2 * (number + 1))
            }
            #expect(try school.sql("select from school.activity").count == 0)
            #expect(try school.sql("select from school.assignment").count == 0)
            try await school.storeUploads()
            #expect(try school.inboxCount() == 0)
            #expect(try school.storedCount() == 1)
            #expect(try school.storedCount(of: .sue) == 1)
        }
    }

    @Test func `assignments are judged at the arrival, and switches when it is stored`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.leave([school.attempt()])
            try await school.leave([school.attempt()], as: .suesApp)
            // Still running, and not assigned until after it arrived.
            try await school.leave([school.attempt(at: ["later"], to: .some(nil))])
            try school.setMoment(ahead: .seconds(1))
            _ = try school.newHandout(path: ["later"], publishedAt: school.ago(0))
            try school.sql(
                """
                update school.handout set completed_at = date_trunc('milliseconds', now()) + interval '1 millisecond'
                 where handout_id = \(handout.id)
                """)
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sue))"
            )
            try await school.storeUploads()
            #expect(try school.storedCount() == 1)
            #expect(try school.storedCount(of: .sue) == 0)
            #expect(try school.inboxCount() == 0)
        }
    }

    @Test func `a pause, switching off and an erasure remove unstored uploads`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let off: JSONValue = ["studentProgress": ["enabled": false, "onDisable": "delete"]]
            for deletion in 0..<3 {
                try await school.leave([school.attempt()])
                try await school.leave([school.attempt()], as: .suesApp)
                #expect(try school.inboxCount() == 2)
                let path = "/v1/people/\(school.id(.sam).uuid)"
                let answer =
                    switch deletion {
                    case 0:
                        try await school.send(
                            .post, path + "/progress-pause", token: Persona.ada.token,
                            settling: false)
                    case 1:
                        try await school.send(
                            .patch, "/v1/organization", token: Persona.ada.token, body: off.bytes,
                            settling: false)
                    default:
                        try await school.send(
                            .post, path + "/erasure", token: Persona.ada.token, settling: false)
                    }
                #expect((200...299).contains(answer.status), "\(answer.text)")
                #expect(try school.inboxCount() == (deletion == 1 ? 0 : 1))
                try school.sql("update school.organization set is_student_progress_enabled = true")
                try school.sql("update school.person set is_progress_paused = false")
                try await school.storeUploads()
                #expect(try school.storedCount() == 0)
            }
        }
    }

    @Test func `unstored uploads are part of a person's data export`() async throws {
        try await withSchool { school in
            try await school.leave([school.attempt(primary: nil)])
            let rows = try school.sql(
                """
                select content from school.personal_rows(\(school.id(.sam))) where table_name = 'upload'
                """, as: school.caller(.ada))
            #expect(rows.count == 1)
        }
    }

    @Test func `storing waits for nobody, and no two workers store for the same person`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.leave([school.attempt()])
            try await school.leave([school.attempt()])
            try await school.leave([school.attempt()], as: .suesApp)
            let other = try BlockingConnection(school.ownerURL)
            try other.execute("begin")
            func claim(_ persona: Persona, _ connection: BlockingConnection) throws -> Int {
                try connection.query(
                    "select from school.claim_uploads(\(school.hillside), \(school.id(persona)), 1)"
                ).count
            }
            #expect(try claim(.sam, other) == 1)
            let own = try BlockingConnection(school.ownerURL)
            try own.execute("set lock_timeout = '1ms'")
            #expect(try claim(.sam, own) == 0, "neither the first nor the second")
            #expect(try claim(.sue, own) == 1)
            try other.execute("rollback")
            #expect(try claim(.sam, own) == 1)
            for table: Statement in [
                "select from school.person for update",
                "select from school.organization for update",
            ] {
                try other.execute("begin")
                try other.query(table)
                #expect(try claim(.sam, own) == 0)
                try other.execute("rollback")
            }
        }
    }

    @Test func `what one person's apps report is stored in the order of arrival`()
        async throws
    {
        try await withSchool { school in
            let completion: JSONValue = ["identifierPath": ["unit-2", "check-1"]]
            for isUpload in [true, false, true, false] {
                if isUpload {
                    try await school.leave([school.attempt()])
                } else {
                    _ = try await school.send(
                        .post, "/v1/me/completions", token: Persona.samsApp.token,
                        body: completion.bytes, settling: false)
                }
            }
            var kinds: [String] = []
            for _ in 0..<4 {
                let connection = try BlockingConnection(school.ownerURL)
                try connection.transaction {
                    let upload = try connection.query(
                        """
                        select upload_id, kind from school.claim_uploads(\(school.hillside), \(school.id(.sam)), 1)
                          join school.upload using (upload_id)
                        """)[0]
                    kinds.append(try upload.text("kind"))
                    try connection.query(
                        """
                        select school.store_uploads(\(school.hillside), \(school.id(.sam)), \([try upload.uuid("upload_id")]))
                        """)
                }
            }
            #expect(kinds == ["activities", "completion", "activities", "completion"])
            #expect(try school.inboxCount() == 0)
        }
    }

    /// Stores Sam's waiting uploads as a worker does, and returns how many each transaction took.
    private func storeInTurn(_ school: TestSchool) throws -> [Int] {
        let connection = try BlockingConnection(school.ownerURL)
        var counts: [Int] = []
        while try school.inboxCount() > 0, counts.count < 20 {
            try connection.transaction {
                let claimed = try connection.query(
                    "select upload_id from school.claim_uploads(\(school.hillside), \(school.id(.sam)), 16)"
                ).map { try $0.uuid("upload_id") }
                counts.append(
                    try connection.query(
                        """
                        select school.store_uploads(\(school.hillside), \(school.id(.sam)), \(claimed)) as count
                        """)[0].int("count"))
            }
        }
        return counts
    }

    @Test func `similar uploads are stored together, up to the limit of a transaction`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            for _ in 0..<18 { try await school.leave([school.attempt()]) }
            #expect(try storeInTurn(school) == [16, 2])
            for count in [200, 200, 101] {
                try await school.leave((0..<count).map { _ in school.attempt() })
            }
            #expect(try storeInTurn(school) == [2, 1])
            #expect(try school.storedCount() == 18 + 501)
        }
    }

    @Test func `an upload that concerns the same activity, or failed before, is stored by itself`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            for activity in [UUID.v7(), id, .v7(), id, .v7()] {
                try await school.leave([school.attempt(activity)])
            }
            #expect(try storeInTurn(school) == [3, 2])
            for _ in 0..<5 { try await school.leave([school.attempt()]) }
            try school.sql(
                """
                update school.upload set attempts = 1
                 where upload_id = (select upload_id from school.upload order by position offset 2 limit 1)
                """)
            #expect(try storeInTurn(school) == [2, 1, 2])
        }
    }

    @Test func `uploads that are stored together keep their own clocks and arrivals`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let ids = [UUID.v7(), UUID.v7(), UUID.v7()]
            for (id, ahead) in zip(ids, [0, 7_200_000, -7_200_000] as [Int64]) {
                func device(_ minutes: Int) -> Timestamp {
                    Timestamp(milliseconds: school.ago(minutes).milliseconds + ahead)
                }
                let body: JSONValue = [
                    "sentAt": .text(device(0).description),
                    "activities": [school.attempt(id, from: device(20), to: .some(device(10)))],
                ]
                _ = try await school.send(
                    .post, "/v1/activities", token: Persona.samsApp.token, body: body.bytes,
                    settling: false)
            }
            let arrivals = try school.sql("select arrived_at from school.upload order by position")
                .map { try $0.timestamp("arrived_at") }
            #expect(try storeInTurn(school) == [3])
            for (id, arrival) in zip(ids, arrivals) {
                let row = try school.sql(
                    """
                    select l.started_at, a.arrived_at from school.activity_assignment as l
                      join school.activity as a using (organization_id, person_id, activity_id)
                     where l.activity_id = \(id)
                    """)[0]
                #expect(try row.timestamp("arrived_at") == arrival)
                let error =
                    try row.timestamp("started_at").milliseconds - school.ago(20).milliseconds
                #expect(abs(error) < 10_000)
            }
        }
    }

    @Test func `organizations take turns, and so do people`() async throws {
        try await withSchool { school in
            for _ in 0..<5 { try await school.leave([school.attempt()]) }
            try await school.leave([school.attempt()], as: .suesApp)
            try school.sql(
                """
                insert into school.upload (organization_id, person_id, upload_id, kind, environment, bundle_id,
                                           document, position, arrived_at)
                select organization_id, person_id, school.new_id(), 'activities', 'production', 'a', '[]',
                       extract(epoch from now())::bigint * 1000000 + 60000000, school.moment()
                  from school.person where organization_id = \(school.elsewhere) limit 1
                """)
            let turns = try school.sql(
                "select organization_id, person_id from school.pending_uploads(8)"
            ).map { (try $0.uuid("organization_id"), try $0.uuid("person_id")) }
            #expect(turns.count == 3)
            #expect(Set(turns.prefix(2).map(\.0)) == [school.hillside.uuid, school.elsewhere.uuid])
            #expect(turns.prefix(2).contains { $0.1 == school.id(.sam).uuid })
            #expect(turns[2].1 == school.id(.sue).uuid)
        }
    }
}

extension TestSchool {
    /// Reports activities that nothing stores for now.
    @discardableResult
    func leave(_ activities: [JSONValue], as app: Persona = .samsApp) async throws -> Answer {
        try await send(
            .post, "/v1/activities", token: app.token,
            body: (["activities": .array(activities)] as JSONValue).bytes, settling: false)
    }

    func inboxCount() throws -> Int { try sql("select from school.upload").count }
}
