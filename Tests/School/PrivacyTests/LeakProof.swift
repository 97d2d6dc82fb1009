import Postgres
import PrivacyRules
import TestKit
import Testing

/// The test of the test: whatever is removed from the database, the proof finds it.
///
/// A school is lived again with each leak in storing, so that the table names one that shows it. After plans have
/// changed, `LEAK_SCHOOLS=60 SEED=1 deploy/test --filter LeakProof` reports which schools do, and from `SEED=100000`
/// on, which do for leaks that the others take too long to show.
@Suite struct LeakProof {
    /// How many schools there may be until a leak is found.
    static let schoolsMax = UInt64(Setting.number("LEAK_SCHOOLS") ?? 6)

    @Test func `a condition missing from reading is found`() async throws {
        try await withSchool { service in
            try Clockwork.install(in: service)
            let street = Street(service)
            for leak in LeakTable.ofSight {
                // A look into the tables takes a tenth of the time of building a school, and a fifth of the time of
                // making all calls.
                var isFound = try await street.finds(leak) { try $0.lookIntoTables() }
                if !isFound {
                    isFound = try await street.finds(leak) { try await $0.lookThroughCalls() }
                }
                #expect(isFound, "\(leak.testDescription) is not found")
            }
        }
    }

    @Test
    func `a condition missing from storing is found in the school that the table names`()
        async throws
    {
        try await withSchool { service in
            try Clockwork.install(in: service)
            for leak in LeakTable.ofStoring {
                let seed = try #require(leak.seed)
                let isFound = try await Self.finds(leak, in: seed, of: service)
                #expect(
                    isFound, "\(leak.testDescription) is not found; LEAK_SCHOOLS=60 shows where")
            }
        }
    }

    @Test(.enabled(if: Setting.number("LEAK_SCHOOLS") != nil))
    func `a condition missing from storing is found in one of the first schools`()
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
    /// - Parameter leak: `nil` if nothing is missing, and nothing is to be found.
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
        do {
            return try await leak.plant(in: service, live)
        } catch let error as PostgresError where error.sqlState == "40001" {
            // The last look before something is stored for a handout that nobody has been given (find_publication).
            return true
        }
    }
}

/// Schools that lived before a leak is planted: each is built when the previous ones do not show one.
private final class Street {
    private let service: TestSchool
    private var schools: [RandomSchool] = []

    init(_ service: TestSchool) {
        self.service = service
    }

    /// Whether looking at one of the schools finds a leak.
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
