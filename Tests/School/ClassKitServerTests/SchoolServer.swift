import ClassKitUplink
import DeviceKit
import Foundation
import HTTPWire
import JSONBytes
import Synchronization
import TestKit

/// The whole service as the uplink reaches a server.
final class SchoolServer: SimulatedServer {
    let tokens: [String]
    let subject: String
    private let school: TestSchool
    private let clock: Mutex<Date>

    /// - Parameter time: what its answers say; the present if nothing is said.
    init(_ school: TestSchool, app: Persona, time: Date = Date()) {
        self.school = school
        tokens = [app.token]
        subject = app.rawValue
        clock = Mutex(time)
    }

    var time: Date { clock.withLock { $0 } }

    func pass(_ seconds: Double) { clock.withLock { $0.addTimeInterval(seconds) } }

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        let parts = URLComponents(url: call.url, resolvingAgainstBaseURL: false)
        let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
        var headers = call.headers.map { ($0.key, $0.value) }
        headers.append(("Host", parts?.host ?? ""))
        let answer = try await school.send(
            HTTPMethod(call.method), (parts?.percentEncodedPath ?? "/") + query, token: nil,
            body: Array(call.body ?? Data()), headers: headers)
        var fields = Dictionary(
            answer.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        fields["Date"] = Self.text(time)
        return HTTPAnswer(status: answer.status, headers: fields, body: Data(answer.body))
    }

    /// As the server itself writes it, of which only the part behind the sockets is here.
    private static func text(_ date: Date) -> String {
        HTTPDate.text(secondsSince1970: Int(date.timeIntervalSince1970))
    }
}

extension TestSchool {
    /// Makes the app known, so that people can sign in with it.
    func registerQuizzler() async throws {
        _ = try await post(
            "/v1/apps", as: .ada,
            json: [
                "adamId": "990011223", "bundleId": .text(quizzler), "name": "Quizzler",
                "productType": "App",
            ])
    }

    /// A person's session in a browser.
    func browserToken(_ persona: Persona) async throws -> String {
        let body: JSONValue = [
            "managedId": .text(persona.managedID), "password": .text(Persona.password),
            "browser": ["shared": false],
        ]
        let answer = try await send("POST", "/v1/sign-in", token: nil, body: body.bytes)
        return answer.json["accessToken"]?.text ?? ""
    }

    /// The app's configuration.
    func configuration() throws -> UplinkConfiguration {
        try UplinkConfiguration(
            server: URL(string: "http://127.0.0.1") ?? URL(fileURLWithPath: "/"),
            bundleID: quizzler)
    }
}
