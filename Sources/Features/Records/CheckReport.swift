import JSONBytes
import Postgres
import Values

/// The results of an organization's checks (`SQL/functions/checks/checks.sql`).
package struct CheckReport: Sendable {
    /// The severity of a finding.
    package enum Severity: String, Sendable, CaseIterable {
        /// Something does not work, or can no longer be relied on.
        case error
        case warning
        case info
    }

    /// The result of one check that found something.
    package struct Finding: Sendable {
        package let code: String
        package let severity: Severity
        package let text: String
        /// What to do about it.
        package let advice: String
        package let subjectKind: String
        package let count: Int
        /// The first hundred ids.
        package let subjectIDs: [String]
    }

    package let findings: [Finding]
    /// The codes of the checks that found nothing.
    package let passed: [String]
    /// The codes of the checks that were not run: only the command runs them.
    package let leftOut: [String]
    private let moment: Timestamp

    /// Whether there are no errors.
    package var isReady: Bool { !findings.contains { $0.severity == .error } }

    /// - Parameter rows: the rows of `organization_checks` or `run_checks`.
    package init(_ rows: Rows, at moment: Timestamp) throws {
        var findings: [Finding] = []
        var passed: [String] = []
        var leftOut: [String] = []
        for row in rows {
            let code = try row.text("code")
            guard try row.optionalInt("count") != nil else {
                leftOut.append(code)
                continue
            }
            guard let text = try row.optionalText("said") else {
                passed.append(code)
                continue
            }
            findings.append(
                Finding(
                    code: code, severity: Severity(rawValue: try row.text("severity")) ?? .error,
                    text: text, advice: try row.text("advice"),
                    subjectKind: try row.text("subject_kind"), count: try row.int("count"),
                    subjectIDs: try row.textArray("subject_ids")))
        }
        self.findings = findings
        self.passed = passed
        self.leftOut = leftOut
        self.moment = moment
    }

    package var json: JSONValue { .object(JSONObject(members)) }

    /// The same with the organization's last nightly export; null if there was none.
    func json(lastExport: JSONValue) -> JSONValue {
        .object(JSONObject(members + [("lastExport", lastExport)]))
    }

    private var members: [(String, JSONValue)] {
        [
            ("ready", .bool(isReady)), ("checkedAt", .text(moment.description)),
            ("findings", .array(findings.map(\.json))),
            ("passed", .array(passed.map(JSONValue.text))),
            ("leftOut", .array(leftOut.map(JSONValue.text))),
        ]
    }
}

extension CheckReport.Finding {
    fileprivate var json: JSONValue {
        [
            "code": .text(code), "severity": .text(severity.rawValue), "text": .text(text),
            "advice": .text(advice), "subjectKind": .text(subjectKind),
            "count": .number(JSONNumber(Int64(count))),
            "subjectIds": .array(subjectIDs.map(JSONValue.text)),
        ]
    }
}
