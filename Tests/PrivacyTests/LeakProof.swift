import PrivacyRules
import TestKit
import Testing

/// The test of the test: whatever is taken away from the database, the proof finds it.
///
/// A school lives anew with each leak of what is stored, so that the table names one that shows it. After plans changed,
/// `LEAK_SCHOOLS=60 SEED=1 deploy/test --filter LeakProof` tells which do, and from `SEED=100000` on those of which the
/// others take too many.
@Suite struct LeakProof {
    /// How many schools there may be until a leak is found.
    static let schoolsMax = UInt64(Setting.number("LEAK_SCHOOLS") ?? 6)

    @Test func `what is missing where somebody looks is found`() async throws {
        try await withSchool { service in
            try Clockwork.install(in: service)
            let street = Street(service)
            for leak in LeakTable.ofSight {
                // A look into the tables takes a tenth of the time in which a school is built, and of that a fifth in
                // which all calls are made.
                var isFound = try await street.finds(leak) { try $0.lookIntoTables() }
                if !isFound {
                    isFound = try await street.finds(leak) { try await $0.lookThroughCalls() }
                }
                #expect(isFound, "\(leak.testDescription) is not found")
            }
        }
    }

    @Test
    func `what is missing where something is stored is found in the school that the table names`()
        async throws
    {
        try await withSchool { service in
            try Clockwork.install(in: service)
            for leak in LeakTable.ofStoring {
                let seed = try #require(leak.seed)
                let isFound = try await Self.finds(leak, in: seed, of: service)
                #expect(
                    isFound, "\(leak.testDescription) is not found, LEAK_SCHOOLS=60 tells where")
            }
        }
    }

    @Test(.enabled(if: Setting.number("LEAK_SCHOOLS") != nil))
    func `what is missing where something is stored is found in one of the first schools`()
        async throws
    {
        try await withSchool { service in
            try Clockwork.install(in: service)
            var seeds: [UInt64] = []
            let first = PrivacyProof.firstSeed
            for seed in first..<first + Self.schoolsMax
            where try await !Self.finds(nil, in: seed, of: service) {
                seeds.append(seed)
            }
            for leak in LeakTable.ofStoring {
                let named = leak.seed.map { [$0] } ?? []
                let seed = try await Self.firstSchool(
                    of: named + seeds, with: leak, in: service)
                #expect(seed != nil, "\(leak.testDescription) is not found")
                print("in the school of SEED=\(seed ?? 0): \(leak.testDescription)")
            }
        }
    }

    private static func firstSchool(
        of seeds: [UInt64], with leak: Leak, in service: TestSchool
    ) async throws -> UInt64? {
        for seed in seeds where try await finds(leak, in: seed, of: service) { return seed }
        return nil
    }

    /// Whether the tables of a school that lived with a leak show it.
    ///
    /// - Parameter leak: `nil`: nothing is missing, and nothing is to be found.
    private static func finds(
        _ leak: Leak?, in seed: UInt64, of service: TestSchool
    ) async throws -> Bool {
        let live = {
            let school = try RandomSchool(service, Plan(seed: seed))
            try await school.live()
            try school.lookIntoTables()
            return !school.findings.isEmpty
        }
        guard let leak else { return try await live() }
        return try await leak.plant(in: service, live)
    }
}

/// Schools that lived before a leak is planted: each is built when those before it do not show one.
private final class Street {
    private let service: TestSchool
    private var schools: [RandomSchool] = []

    init(_ service: TestSchool) {
        self.service = service
    }

    /// Whether a look at one of the schools finds a leak.
    func finds(
        _ leak: Leak, _ look: (RandomSchool) async throws -> Void
    ) async throws -> Bool {
        for number in 0..<Int(LeakProof.schoolsMax) {
            if number == schools.count {
                let school = try RandomSchool(service, Plan(seed: UInt64(number + 1)))
                try await school.live()
                schools.append(school)
            }
            let school = schools[number]
            try await leak.plant(in: service) { try await look(school) }
            defer { school.findings = [] }
            if !school.findings.isEmpty { return true }
        }
        return false
    }
}
