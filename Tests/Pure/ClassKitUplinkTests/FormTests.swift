import Foundation
import Testing

@testable import ClassKitUplink

/// What goes over the wire, and where.
@Suite struct FormTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func digestsOfTheStandard(message: String, digest: String) {
        let bytes = SHA256.digest(message.utf8)
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
    }

    @Test func `times have milliseconds`() throws {
        let date = try #require(JSON.date("2026-11-23T03:04:05.678Z"))
        #expect(JSON.text(date) == "2026-11-23T03:04:05.678Z")
        #expect(JSON.text(Date(timeIntervalSince1970: 1_790_000_000.9996)).hasSuffix(":21.000Z"))
        #expect(JSON.date("2026-11-23T03:04:05Z") != nil && JSON.date("yesterday") == nil)
        for milliseconds in stride(from: 1_790_000_000_000, to: 1_790_000_003_000, by: 1) {
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            #expect(JSON.text(date).hasSuffix(".\(String(milliseconds).suffix(3))Z"))
        }
    }

    @Test func `activities are written as the server reads them`() throws {
        let start = Moment(wall: Date(timeIntervalSince1970: 100), uptime: 1, bootID: "a")
        let record = ActivityRecord(
            id: try #require(UUID(uuidString: "0199B2E0-0000-7000-8000-00000000000A")),
            identifierPath: ["quiz", "1/2"], startedAt: start, stoppedAt: nil, modifiedAt: start,
            durationSeconds: 1.5, progressRanges: [ProgressRange(start: 0, end: 0.5)],
            primaryItem: .score(identifier: "s", title: "Score", score: 3, maxScore: 4),
            additionalItems: [
                .binary(identifier: "b", title: "B", value: true, valueType: "passFail")
            ])
        let sent = SentActivity(record, Times(record)) { $0.wall }
        #expect(
            String(decoding: try JSON.encode(sent), as: UTF8.self) == """
                {"additionalItems":[{"identifier":"b","kind":"binary","title":"B","value":true,\
                "valueType":"passFail"}],"durationSeconds":1.5,\
                "id":"0199b2e0-0000-7000-8000-00000000000a","identifierPath":["quiz","1/2"],\
                "modifiedAt":"1970-01-01T00:01:40.000Z","primaryItem":{"identifier":"s",\
                "kind":"score","maxScore":4,"score":3,"title":"Score"},"progressRanges":[[0,0.5]],\
                "startedAt":"1970-01-01T00:01:40.000Z"}
                """)
        for item in record.additionalItems + [try #require(record.primaryItem)] {
            #expect(try JSON.decode(ItemRecord.self, from: JSON.encode(item)) == item)
        }
    }

    @Test func `contexts are read as the server writes them`() throws {
        let text = """
            {"origin":"native","identifierPath":["a"],"title":"A","type":"quiz","customTypeName":null,
            "displayOrder":2,"isAssignable":true,"progressReportingCapabilities":[{"kind":"duration",
            "details":""}],"suggestedAge":[9,null],"suggestedCompletionTime":null,"summary":null,
            "topic":"math","universalLinkURL":null,"hasChildren":false,"hasThumbnail":true,
            "navigationPaths":[["b"]],"createdAt":"2026-11-23T03:04:05.678Z",
            "updatedAt":"2026-11-23T03:04:05.678Z"}
            """
        let context = try JSON.decode(MirroredContext.self, from: Data(text.utf8))
        #expect(
            context.record
                == ContextRecord(
                    identifierPath: ["a"], title: "A", type: "quiz", displayOrder: 2,
                    progressReportingCapabilities: [Capability(kind: "duration", details: "")],
                    suggestedAge: Bounds(lower: 9, upper: nil), topic: "math",
                    navigationPaths: [["b"]]))
        #expect(context.origin == "native" && context.hasThumbnail)
        #expect(
            String(decoding: try JSON.encode(context.record), as: UTF8.self).contains(
                "\"suggestedAge\":[9,null]"))
    }

    @Test(arguments: [
        "http://school.example", "ftp://school.example", "https://", "school.example",
        "https://me@school.example", "http://127.0.0.1.example", "http://localhost.example",
    ])
    func onlySafeAddressesAreUsed(address: String) throws {
        let url = try #require(URL(string: address))
        #expect(throws: UplinkError.self) { try ServerAddress.check(url) }
    }

    @Test func `addresses keep paths and queries`() throws {
        let configuration = try Sample.configuration("https://school.example/homeroom/")
        #expect(
            configuration.address("/v1/me/contexts", query: [("path", Uplink.text(["a/b", "ü&"]))])
                .absoluteString
                == "https://school.example/homeroom/v1/me/contexts?path=%5B%22a%2Fb%22%2C%22%C3%BC%26%22%5D"
        )
        try ServerAddress.check(try #require(URL(string: "http://[::1]:8080")))
        try ServerAddress.check(try #require(URL(string: "http://127.0.0.1:8080")))
    }
}

/// Values that many tests need.
enum Sample {
    static func configuration(_ server: String = "https://school.example") throws
        -> UplinkConfiguration
    {
        try UplinkConfiguration(
            server: try #require(URL(string: server)), bundleID: "org.example.app")
    }
}
