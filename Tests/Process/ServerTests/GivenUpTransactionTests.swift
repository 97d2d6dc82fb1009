import Crypto
import JSONBytes
import Postgres
import TestKit
import Testing
import Values

@testable import ServerKit

/// Transactions that PostgreSQL gives up because of others (40001), as a client sees them over the network. The service
/// does not repeat them by itself: it says that nothing was changed, and when to come back.
@Suite struct GivenUpTransactions {
    /// When PostgreSQL gives up.
    enum Moment: String, CaseIterable {
        case statement
        case commit
    }

    @Test(arguments: Moment.allCases)
    func `a call that failed once succeeds when it is repeated, with and without a key`(
        moment: Moment
    ) async throws {
        try await withSchool { school in
            let server = try await ServerProcess(school.homeroom.unlimited)
            defer { server.stop() }
            for (name, key) in [("North", nil), ("South", "south")] as [(String, String?)] {
                try school.giveUp(on: "location", at: moment, times: 1)
                expectGivenUp(await server.addLocation(name, key: key))
                #expect(try school.countLocations(name) == 0)
                let made = try #require(await server.addLocation(name, key: key))
                #expect(made.status == 201, "\(made.text)")
                #expect(made.header("idempotency-replayed") == nil)
                #expect(try school.countLocations(name) == 1)
            }
        }
    }

    @Test(arguments: Moment.allCases)
    func `an app sends again what was not taken`(moment: Moment) async throws {
        try await withSchool { school in
            let server = try await ServerProcess(school.homeroom.unlimited)
            defer { server.stop() }
            try school.giveUp(on: "upload", at: moment, times: 1)
            expectGivenUp(await server.upload())
            let taken = try #require(await server.upload())
            #expect(taken.status == 202, "\(taken.text)")
        }
    }

    @Test(arguments: Moment.allCases)
    func `a call that always fails is refused, and other calls are not`(moment: Moment)
        async throws
    {
        try await withSchool { school in
            let server = try await ServerProcess(school.homeroom.unlimited)
            defer { server.stop() }
            try school.giveUp(on: "location", at: moment, times: .max)
            let others = Task {
                var statuses: Set<Int> = []
                for _ in 0..<20 {
                    let answer = await server.call(
                        "GET", "/v1/locations", token: Persona.ada.token)
                    statuses.insert(answer?.status ?? 0)
                }
                return statuses
            }
            for _ in 0..<5 {
                expectGivenUp(await server.addLocation("North"))
                expectGivenUp(await server.addLocation("North", key: "north"))
            }
            #expect(await others.value == [200])
            #expect(await server.call("GET", "/readyz", token: Persona.ada.token)?.status == 200)
            #expect(try school.countLocations("North") == 0)

            try school.giveUp(on: "location", at: moment, times: 0)
            #expect(await server.addLocation("North", key: "north")?.status == 201)
            #expect(try school.countLocations("North") == 1)
        }
    }

    private func expectGivenUp(_ answer: Answer?) {
        #expect(answer?.status == 503)
        #expect(answer?.code == "contended")
        #expect(answer?.json["detail"]?.text?.contains("Nothing was changed.") == true)
        let seconds = answer?.header("retry-after").flatMap { Int($0) }
        #expect((seconds ?? 0) > 0)
    }
}

extension ServerProcess {
    fileprivate func addLocation(_ name: String, key: String? = nil) async -> Answer? {
        let location: JSONValue = ["name": .text(name)]
        return await call(
            "POST", "/v1/locations", token: Persona.ada.token, key: key, body: location.bytes)
    }

    /// Reports an activity as Sam's app.
    fileprivate func upload() async -> Answer? {
        let activity: JSONValue = [
            "id": .text(UUID.v7().description), "identifierPath": ["check"],
            "startedAt": "2026-03-02T08:00:00.000Z", "modifiedAt": "2026-03-02T08:00:00.000Z",
            "durationSeconds": 0,
        ]
        let body: JSONValue = ["activities": [activity]]
        return await call(
            "POST", "/v1/activities", token: Persona.samsApp.token, body: body.bytes)
    }
}

extension TestSchool {
    /// Lets PostgreSQL give up the next transactions that insert a row into a table.
    fileprivate func giveUp(
        on table: String, at moment: GivenUpTransactions.Moment, times: Int
    ) throws {
        let connection = try BlockingConnection(ownerURL)
        // What a sequence has counted is not rolled back.
        try connection.execute(
            """
            create sequence if not exists school.given_up;
            alter sequence school.given_up restart;
            create or replace function school.give_up() returns trigger language plpgsql security definer as $$
            begin
                if nextval('school.given_up') <= tg_argv[0]::bigint then
                    raise exception 'others were faster' using errcode = 'serialization_failure';
                end if;
                return new;
            end $$;
            drop trigger if exists give_up on school.\(identifier: table)
            """)
        switch moment {
        case .statement:
            try connection.execute(
                """
                create trigger give_up before insert on school.\(identifier: table)
                    for each row execute function school.give_up(\(literal: "\(times)"))
                """)
        case .commit:
            try connection.execute(
                """
                create constraint trigger give_up after insert on school.\(identifier: table)
                    deferrable initially deferred for each row
                    execute function school.give_up(\(literal: "\(times)"))
                """)
        }
    }
}
