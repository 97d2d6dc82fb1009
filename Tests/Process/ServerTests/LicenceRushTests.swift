import JSONBytes
import Postgres
import Synchronization
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// Many who want what there is too little of, from a server over the network.
@Suite(.timeLimit(.minutes(15))) struct LicenceRush {
    @Test func `200 connections on a pool of 100 get 100 seats and 100 clear refusals`()
        async throws
    {
        try await withSchool { school in
            let server = try await ServerProcess(school.homeroom.unlimited)
            defer { server.stop() }
            try await server.buy(100)
            let answers = await withTaskGroup(of: Answer?.self) { clients in
                for number in 0..<200 {
                    clients.addTask { await server.grant("TABLET-\(number)") }
                }
                return await clients.reduce(into: [Answer]()) { all, answer in
                    if let answer { all.append(answer) }
                }
            }
            #expect(answers.count == 200)
            #expect(answers.count { $0.status == 201 } == 100)
            let refused = answers.filter { $0.status != 201 }
            #expect(refused.allSatisfy { $0.status == 409 && $0.code == "too_few_licences" })
            #expect(
                refused.allSatisfy {
                    $0.json["detail"]?.text?.hasPrefix("0 left and 1 needed") == true
                })
            #expect(try school.seats() == Seats(total: 100, counted: 100, held: 100))
        }
    }
}

extension ServerProcess {
    /// An app, and so many seats for it at the main location.
    fileprivate func buy(_ seats: Int64) async throws {
        let app: JSONValue = [
            "name": "Chess", "productType": "App", "bundleId": "org.example.chess",
        ]
        let added = await call(
            "PUT", "/v1/apps/990011223", token: Persona.ada.token, body: app.bytes)
        #expect(added?.status == 201)
        let pool: JSONValue = ["totalCount": JSONValue(integerLiteral: seats)]
        let bought = await call(
            "PUT", "/v1/apps/990011223/pools/source:main", token: Persona.ada.token,
            body: pool.bytes)
        #expect(bought?.status == 201)
    }

    /// Requests a licence for a device, again and again while too many others wait; `nil` if no complete answer
    /// arrived.
    fileprivate func grant(_ device: String) async -> Answer? {
        let body: JSONValue = ["serialNumbers": [.text(device)]]
        while true {
            let answer = await call(
                "POST", "/v1/apps/990011223/licences", token: Persona.ada.token, body: body.bytes)
            guard answer?.status == 503, answer?.header("retry-after") != nil else { return answer }
            await pauseBetweenAttempts()
        }
    }
}

/// The numbers of a pool: the seats bought, the seats it says are assigned, the licences.
private struct Seats: Equatable {
    var total: Int
    var counted: Int
    var held: Int
}

extension TestSchool {
    fileprivate func seats() throws -> Seats {
        let rows = try sql(
            """
            select total_count, assigned_count, (select count(*)::integer from school.licence) as held
              from school.pool
            """)
        return Seats(
            total: try rows[0].int("total_count"), counted: try rows[0].int("assigned_count"),
            held: try rows[0].int("held"))
    }
}
