import Archive
import Files
import HTTPClient
import JSONBytes
import Synchronization
import Testing

@testable import Imports

/// How a roster is read from a provider and becomes an archive: paging, counting, and rosters that change meanwhile.
@Suite struct PullingARoster {
    private static func pull(
        _ provider: FakeProvider, pace: RecordedPace = RecordedPace(),
        limits: RosterLimits = RosterLimits(), url: String = FakeProvider.url
    ) throws -> [String: String] {
        let address = try RosterAddress(url: url, tokenURL: nil)
        let connection = RosterProvider(
            address, clientID: FakeProvider.clientID, secret: FakeProvider.secret,
            client: provider, limits: limits, pace: pace)
        let pull = RosterPull(
            address: address, provider: connection, limits: limits, spool: "/tmp")
        let file = try pull.run()
        let reader = try ZipReader(path: file.path)
        var texts: [String: String] = [:]
        for entry in reader.entries {
            texts[entry.name] = String(
                decoding: try reader.read(entry, limit: 1 << 20), as: UTF8.self)
        }
        return texts
    }

    private static func failure(
        _ provider: FakeProvider, limits: RosterLimits = RosterLimits()
    ) throws -> RosterFailure {
        try #require(throws: RosterFailure.self) { try pull(provider, limits: limits) }
    }

    /// The lines of `small` in a file, with its header.
    private static let lengths = [
        "academicSessions.csv": 3, "orgs.csv": 4, "users.csv": 15, "roles.csv": 15,
        "courses.csv": 2, "classes.csv": 3, "enrollments.csv": 17,
    ]

    @Test(arguments: [true, false], [true, false])
    func `every record arrives once, however the provider pages`(counts: Bool, links: Bool) throws {
        let provider = FakeProvider()
        provider.change {
            $0.counts = counts
            $0.links = links
        }
        let files = try Self.pull(provider)
        for (name, length) in Self.lengths {
            #expect(files[name]?.split(separator: "\n").count == length, "\(name)")
        }
        #expect(files["manifest.csv"]?.contains("oneroster.version,1.2") == true)
        #expect(files.values.allSatisfy { !$0.contains("+49") }, "phone numbers are not kept")
        #expect(provider.tokens == 1)
    }

    @Test func `a provider that always sends everything is read once`() throws {
        let provider = FakeProvider()
        provider.change {
            $0.counts = false
            $0.pageMax = 1000
        }
        provider.intercept { request, _ in
            guard request.body == nil, request.address.rest.contains("offset="),
                !request.address.rest.contains("offset=0")
            else { return nil }
            let first = request.address.text.split(separator: "?")[0] + "?limit=1000&offset=0"
            let again = try #require(WebAddress(String(first)))
            return try provider.perform(OutgoingRequest(again, headers: request.headers))
        }
        let files = try Self.pull(provider)
        #expect(files["users.csv"]?.split(separator: "\n").count == 15)
    }

    @Test func `records that are to be deleted are left out`() throws {
        let provider = FakeProvider()
        provider.intercept { request, _ in
            guard request.address.rest.contains("/courses"),
                !request.address.rest.contains("filter")
            else { return nil }
            return .page(
                of: "courses",
                FakeProvider.small["courses", default: []]
                    + [FakeProvider.record("C9", [("title", "Gone")], status: "tobedeleted")],
                [("X-Total-Count", "2")])
        }
        #expect(try Self.pull(provider)["courses.csv"]?.contains("C9") == false)
    }

    @Test func `a provider of version 1.1 says roles and schools with the user`() throws {
        let provider = FakeProvider()
        provider.edit("users") { users in
            users = [
                FakeProvider.record(
                    "S1",
                    [
                        ("enabledUser", true), ("username", "s1"), ("givenName", "A"),
                        ("familyName", "B, C"), ("role", "student"),
                        ("orgs", [FakeProvider.to("L1", "org"), FakeProvider.to("L2", "org")]),
                    ]),
                // The shape of version 1.2, as some providers have it there.
                FakeProvider.user("T1", "Grace", "Hopper", "principal"),
            ]
        }
        let files = try Self.pull(provider, url: "https://sis.example/ims/oneroster/v1p1/")
        #expect(files["roles.csv"] == nil)
        let users = try #require(files["users.csv"])
        #expect(users.contains("S1,,,true,\"L1,L2\",student,s1,,A,\"B, C\","))
        #expect(users.contains("T1,,,true,L1,administrator,t1,,Grace,Hopper,"))
        #expect(provider.calls.contains { $0.hasPrefix("/ims/oneroster/v1p1/orgs?") })
    }

    // MARK: A roster that changes

    @Test(arguments: [true, false])
    func `a roster that changes once is read again from the start`(isAdded: Bool) throws {
        let provider = FakeProvider()
        provider.change { $0.counts = false }
        let isChanged = Flag()
        provider.intercept { request, _ in
            // Between the first and the second page of users, the first one leaves, or another one comes in front.
            guard request.address.rest.contains("users?limit=1000&offset=5"), isChanged.raise()
            else {
                return nil
            }
            provider.edit("users") { users in
                if isAdded {
                    users.insert(FakeProvider.user("A0", "New", "One", "teacher"), at: 0)
                } else {
                    users[0] = FakeProvider.record(
                        "S1", [], changed: "2026-09-02T07:30:00.000Z", status: "tobedeleted")
                }
            }
            return nil
        }
        let files = try Self.pull(provider)
        let users = try #require(files["users.csv"])
        #expect(users.split(separator: "\n").count == (isAdded ? 16 : 14))
        #expect(users.contains("S6,"), "the one who moved past the reader")
        #expect(users.contains("\nS1,") == isAdded)
    }

    @Test func `a roster that always changes is given up, and so is a wrong count`() throws {
        let provider = FakeProvider()
        provider.intercept { request, _ in
            guard request.address.rest.contains("/orgs") else { return nil }
            return .page(
                of: "orgs", FakeProvider.small["orgs", default: []], [("X-Total-Count", "2")])
        }
        #expect(try Self.failure(provider).code == .changing)
        #expect(provider.calls.count(where: { $0.contains("/academicSessions") }) == 3)
    }

    @Test func `someone who changed meanwhile and was read is no reason to read again`() throws {
        let provider = FakeProvider()
        let isChanged = Flag()
        provider.intercept { request, _ in
            if request.address.rest.contains("/courses"), isChanged.raise() {
                provider.edit("users") { users in
                    users[3] = FakeProvider.user(
                        "S4", "Renamed", "Family4", "student", changed: "2026-09-02T07:30:00.000Z")
                }
            }
            return nil
        }
        _ = try Self.pull(provider)
        #expect(
            provider.calls.count(where: { $0.contains("/orgs") && !$0.contains("filter") }) == 1)
    }

    @Test func `a provider without filters is read all the same`() throws {
        let provider = FakeProvider()
        provider.change { $0.filters = false }
        #expect(try Self.pull(provider)["orgs.csv"] != nil)
    }

    // MARK: Limits

    @Test func `records, pages and bytes are limited`() throws {
        var limits = RosterLimits()
        limits.records = 10
        #expect(try Self.failure(FakeProvider(), limits: limits).code == .tooLarge)
        limits = RosterLimits()
        limits.pages = 4
        #expect(try Self.failure(FakeProvider(), limits: limits).code == .tooLarge)
        limits = RosterLimits()
        limits.bytes = 500
        #expect(try Self.failure(FakeProvider(), limits: limits).code == .tooLarge)
    }

    @Test func `a pull that takes too long ends`() throws {
        var limits = RosterLimits()
        limits.seconds = 0
        let pace = TimedPace(limits) {}
        #expect(try #require(throws: RosterFailure.self) { try pace.check() }.code == .tooLarge)
    }
}

/// Goes up once.
final class Flag: Sendable {
    private let isUp = Mutex(false)

    /// Whether it was down.
    func raise() -> Bool {
        isUp.withLock { isUp in
            defer { isUp = true }
            return !isUp
        }
    }
}
