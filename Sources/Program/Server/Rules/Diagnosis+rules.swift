import Records

extension Diagnosis {
    /// How many differences are said one by one.
    private static let shownMax = 50

    /// Notes how the rules in the database differ from those of this version.
    mutating func note(_ comparison: RuleComparison) {
        note("rules_changed", Self.findings("rules_changed", comparison.errors))
        note(
            "index_changed",
            Self.findings(
                "index_changed", comparison.differences.filter { $0.severity == .warning }))
        note(
            "rules_not_compared",
            comparison.leftOut.map {
                Finding(code: "rules_not_compared", severity: .warning, text: $0, advice: "")
            })
    }

    private static func findings(_ code: String, _ differences: [RuleDifference]) -> [Finding] {
        var findings = differences.prefix(shownMax).map {
            Finding(code: code, severity: $0.severity, text: $0.text, advice: $0.advice)
        }
        if differences.count > shownMax, let first = differences.first {
            findings.append(
                Finding(
                    code: code, severity: first.severity,
                    text: "There are \(differences.count - shownMax) more such differences.",
                    advice: "homeroom migrate lists all."))
        }
        return findings
    }
}
