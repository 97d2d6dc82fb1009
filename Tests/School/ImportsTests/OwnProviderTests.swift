import EventLoop
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import School
import Synchronization
import TestKit
import Testing

@testable import Imports

/// Homeroom's own OneRoster API as the source of another organization's roster.
@Suite struct OwnProvider {
    /// An answer for which a thread waits.
    private final class Reply: Sendable {
        private let outcome = Mutex<Result<Answer, any Error>?>(nil)
        private let semaphore = Semaphore()

        func give(_ result: Result<Answer, any Error>) {
            outcome.withLock { $0 = result }
            semaphore.signal()
        }

        func wait() -> Result<Answer, any Error> {
            semaphore.wait()
            return outcome.withLock { $0 } ?? .failure(OutgoingFailure.unreachable)
        }
    }

    /// Lets the service of a test answer, in process.
    private final class Bridge: BlockingCalls {
        private let school = Mutex<TestSchool?>(nil)

        func lead(to school: TestSchool) { self.school.withLock { $0 = school } }

        func perform(_ request: OutgoingRequest) throws -> OutgoingAnswer {
            guard let school = school.withLock({ $0 }) else { throw OutgoingFailure.unreachable }
            let reply = Reply()
            Self.ask(school, request) { reply.give($0) }
            let answer = try reply.wait().get()
            return OutgoingAnswer(
                status: answer.status, body: answer.body,
                fields: answer.headers.map { (name: $0.name, value: $0.value) })
        }

        private static func ask(
            _ school: TestSchool, _ request: OutgoingRequest,
            _ then: @escaping @Sendable (Result<Answer, any Error>) -> Void
        ) {
            Task {
                do {
                    then(
                        .success(
                            try await school.send(
                                request.body == nil ? "GET" : "POST", request.address.rest,
                                token: nil, body: request.body ?? [],
                                headers: [("Host", request.address.host)]
                                    + request.headers.map { ($0.name, $0.value) },
                                settling: false)))
                } catch {
                    then(.failure(error))
                }
            }
        }
    }

    @Test(arguments: ["/ims/oneroster/rostering/v1p2", "/ims/oneroster/v1p1"])
    func `what one organization has, another one pulls`(path: String) async throws {
        let bridge = Bridge()
        try await withSchool(sources: bridge) { school in
            bridge.lead(to: school)
            let filled = try await school.importArchive(.oneRoster2, as: .olga)
            #expect(filled.status == "succeeded")
            let account = try await school.post(
                "/v1/service-accounts", as: .olga, json: ["name": "SIS", "role": "rosterReader"])
            let source: JSONValue = [
                "url": .text("https://sis.example" + path),
                "clientId": account.json["clientId"] ?? nil,
                "clientSecret": account.json["clientSecret"] ?? nil,
            ]
            try await school.setSource(source)
            let imported = try await school.pulled()
            #expect(imported.errorLines == [] && imported.status == "succeeded")
            #expect(try school.seats(of: "S1").contains("student in K1, student in K2"))
            let again = try await school.pulled()
            #expect(again.counts("users.csv")[0] == 0 && again.counts("users.csv")[3] == 0)
            #expect(again.counts("enrollments.csv")[0] == 0)
        }
    }
}
