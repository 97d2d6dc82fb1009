import Crypto
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Activities

@Suite("Turns that take long")
struct UploadRestTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `a person whose turn takes seconds rests three times as long, and nobody else does`()
    {
        let rests = UploadRests()
        let (slow, quick) = (UUID.v7(), UUID.v7())
        rests.note(quick, from: 0, to: Self.second)
        rests.note(slow, from: 0, to: 2 * Self.second)
        #expect(rests.resting(now: 2 * Self.second) == [slow])
        #expect(rests.resting(now: 8 * Self.second - 1) == [slow])
        #expect(rests.resting(now: 8 * Self.second) == [])
        #expect(rests.resting(now: 0) == [], "a rest ends for good")
    }

    @Test func `while one rests, others are stored`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let rests = UploadRests()
            rests.note(
                Persona.sam.personID.uuid, from: -1_000_000 * Self.second,
                to: 1_000_000 * Self.second)
            try await school.leave([school.attempt()])
            try await school.leave([school.attempt()], as: .suesApp)
            let next = try school.sql(
                """
                select person_id from school.pending_uploads(1, \([Persona.sam.personID.uuid]))
                """)
            #expect(
                try next.map { try $0.uuid("person_id") } == [Persona.sue.personID.uuid],
                "a resting person does not block the others")
            let database = school.database
            let count = try await school.onItsLoop { () -> Result<Int, any Error> in
                do {
                    return try await .success(
                        database.withSession { session in
                            try await UploadStore(figures: UploadFigures(), log: nil)
                                .storeRound(in: session, rests: rests)
                        })
                } catch {
                    return .failure(error)
                }
            }.get()
            #expect(count == 1)
            #expect(try school.storedCount(of: .sue) == 1)
            #expect(try school.storedCount() == 0)
            try await school.storeUploads()
            #expect(try school.storedCount() == 1)
        }
    }
}
