import TestKit
import Testing

/// People who differ in their roles, or in what was given to them, and whose apps make the same calls: every answer is
/// the same, byte for byte, whatever was requested and whatever became of it. So an app learns neither a role nor an
/// assignment, except what a handout gives to its person to do.
///
/// `SCHOOLS=200 deploy/test --filter TwinProof` tries that many, `SEED=17` begins with that one.
@Suite struct TwinProof {
    private static let schools = UInt64(Setting.number("SCHOOLS") ?? 6)

    @Test func `apps of people who differ get the same answers to the same random calls`()
        async throws
    {
        try await withSchool { service in
            try TwinSchool.install(in: service)
            for seed in PrivacyProof.firstSeed..<PrivacyProof.firstSeed + Self.schools {
                let plan = TwinPlan(seed: seed)
                guard let difference = try await Self.difference(plan, service) else { continue }
                let finding = try await Self.shrink(plan, difference, service)
                Issue.record("\(finding)")
                break
            }
        }
    }

    @Test(arguments: LeakTable.ofTwins)
    func `twins find everything that lets an app learn more`(leak: Leak) async throws {
        try await withSchool { service in
            try Clockwork.install(in: service)
            try TwinSchool.install(in: service)
            let isFound = try await leak.plant(in: service) {
                for seed in 1...4 as ClosedRange<UInt64> {
                    let plan = TwinPlan(seed: seed)
                    if try await Self.difference(plan, service) != nil { return true }
                }
                return false
            }
            #expect(isFound, "\(leak.testDescription) is not found")
        }
    }

    private static func difference(_ plan: TwinPlan, _ service: TestSchool) async throws -> String?
    {
        try await TwinSchool(service).live(plan)
    }

    /// The shortest history that leads to the last difference, in words.
    private static func shrink(
        _ plan: TwinPlan, _ difference: String, _ service: TestSchool
    ) async throws -> String {
        var plan = plan
        var smallest = difference
        var size = plan.steps.count / 2
        while size > 0 {
            var start = 0
            while start < plan.steps.count {
                var shorter = plan
                shorter.steps.removeSubrange(start..<min(start + size, plan.steps.count))
                if let difference = try await Self.difference(shorter, service) {
                    plan = shorter
                    smallest = difference
                } else {
                    start += size
                }
            }
            size /= 2
        }
        let story = plan.steps.map { "  \($0)" }.joined(separator: "\n")
        return "twins of SEED=\(plan.seed), where\n\(story)\ndiffer in the answer to \(smallest)"
    }
}
