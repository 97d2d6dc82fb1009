import Postgres
import PrivacyRules
import School
import TestKit

/// One random school, lived to its end and looked at by everyone.
enum Trial {
    /// What was found, and the history behind it, in words; `nil` if nothing.
    struct Finding: CustomStringConvertible {
        let seed: UInt64
        let history: [Event]
        let findings: [String]

        var description: String {
            let story = history.map { "  \($0)" }.joined(separator: "\n")
            return "in the school of SEED=\(seed), where\n\(story)\n"
                + findings.map { "\($0)" }.joined(separator: "\n")
        }
    }

    static func findings(_ plan: Plan, in service: TestSchool) async throws -> Finding? {
        let school = try RandomSchool(service, plan)
        try await school.live()
        try await school.look()
        guard !school.findings.isEmpty else { return nil }
        return Finding(
            seed: plan.seed, history: school.history, findings: Array(school.findings.prefix(10)))
    }

    /// Leaves out of a plan what makes no difference, a half, a quarter, … of it at a time.
    static func shrink(_ plan: Plan, in service: TestSchool) async throws -> Finding? {
        var plan = plan
        var smallest: Finding?
        var size = plan.steps.count / 2
        while size > 0 {
            var start = 0
            while start < plan.steps.count {
                var steps = plan.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                if let finding = try await findings(plan.keeping(steps), in: service) {
                    plan = plan.keeping(steps)
                    smallest = finding
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return smallest
    }
}

extension RandomSchool {
    /// Everyone looks everywhere.
    func look() async throws {
        try lookForDifferences()
        try lookIntoTables()
        guard findings.isEmpty else { return }
        try await lookThroughCalls()
        try lookIntoExport()
    }

    /// Reports read what each attempt counts for, which repeats what is stored of the attempt itself.
    private func lookForDifferences() throws {
        let differing = try service.sql(
            "select id from school.check_progress_differs(\(organization), null) as f (id)")
        for row in differing {
            findings.append("reports show something else of attempt \(try row.text("id"))")
        }
    }
}
