import PrivacyRules
import TestKit
import Testing

/// The test of the test: whatever is taken away from the database, the proof finds it.
///
/// `LEAK_SCHOOLS=30 deploy/test --filter LeakProof` tries as many schools for each leak, also for those of what is
/// stored: a school has to live anew for each, which takes too long for every time.
@Suite struct LeakProof {
    /// How many schools there may be until a leak is found.
    static let schoolsMax = UInt64(Setting.number("LEAK_SCHOOLS") ?? 12)

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

    @Test(.enabled(if: Setting.number("LEAK_SCHOOLS") != nil))
    func `what is missing where something is stored is found`() async throws {
        try await withSchool { service in
            try Clockwork.install(in: service)
            for leak in LeakTable.ofWriting {
                let isFound = try await leak.plant(in: service) {
                    for seed in 1...Self.schoolsMax {
                        let school = try RandomSchool(service, Plan(seed: seed))
                        try await school.live()
                        if try await school.finds() { return true }
                    }
                    return false
                }
                #expect(isFound, "\(leak.testDescription) is not found")
            }
        }
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

extension RandomSchool {
    /// Whether looking finds anything; what was found before is forgotten.
    fileprivate func finds() async throws -> Bool {
        try await look()
        defer { findings = [] }
        return !findings.isEmpty
    }
}
