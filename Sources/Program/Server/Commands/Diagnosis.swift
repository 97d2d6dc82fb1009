import JSONBytes
import Records
import School
import Values

/// What `homeroom doctor` found.
struct Diagnosis {
    /// Something that is wrong with the deployment.
    struct Finding {
        let code: String
        let severity: CheckReport.Severity
        let text: String
        let advice: String
    }

    /// One organization and where its audit chain ends.
    struct Organization {
        let id: OrganizationID
        let name: String
        /// `nil`: nothing is sealed yet.
        let sealNumber: Int?
        let sealDigest: String?
        /// The last seal whose events a rule of retention removed, and when; `nil` if all are there.
        let cutNumber: Int?
        let cutAt: Timestamp?
        /// When the organization is deleted; `nil` if that is not ordered.
        let endsAt: Timestamp?
        let report: CheckReport
    }

    private(set) var findings: [Finding] = []
    /// The codes of the deployment's checks that passed.
    private(set) var passed: [String] = []
    var organizations: [Organization] = []

    /// Adds a check and what it found wrong; `nil` means nothing.
    mutating func note(
        _ code: String, _ text: String?, advice: String = "",
        severity: CheckReport.Severity = .error
    ) {
        if let text {
            findings.append(
                Finding(code: code, severity: severity, text: text, advice: advice))
        } else {
            passed.append(code)
        }
    }

    /// Adds a check that may find several things wrong.
    mutating func note(_ code: String, _ found: [Finding]) {
        findings += found
        if found.isEmpty { passed.append(code) }
    }

    /// The number of errors, of the deployment and all organizations together.
    var errors: Int {
        findings.count { $0.severity == .error }
            + organizations.reduce(0) { sum, organization in
                sum + organization.report.findings.count { $0.severity == .error }
            }
    }
}

// MARK: For people

extension Diagnosis {
    var lines: [String] {
        var lines = ["The deployment: \(passed.count) checks passed."]
        for finding in findings {
            lines += Self.lines(finding.severity, finding.text, finding.advice)
        }
        for organization in organizations { lines += [""] + organization.lines }
        return lines
    }

    fileprivate static func lines(
        _ severity: CheckReport.Severity, _ text: String, _ advice: String
    ) -> [String] {
        let word = severity.rawValue
        let mark = "  \(word)\(String(repeating: " ", count: 8 - word.count))  "
        let indent = String(repeating: " ", count: mark.count)
        return [mark + text] + (advice.isEmpty ? [] : [indent + advice])
    }
}

extension Diagnosis.Organization {
    /// How many ids of each finding are shown on a terminal.
    private static let shownIDs = 5

    fileprivate var lines: [String] {
        var lines = ["\(name) (\(id.uuid)): \(report.passed.count) checks passed."]
        if let sealNumber, let sealDigest {
            lines.append("  The audit trail is sealed up to number \(sealNumber): \(sealDigest)")
            lines.append("  Note it elsewhere, for --seal \(id.uuid):\(sealNumber):\(sealDigest)")
        } else {
            lines.append("  Nothing of the audit trail is sealed yet.")
        }
        if let cutNumber, let cutAt {
            lines.append(
                "  A rule of retention removed the events up to seal \(cutNumber), last on \(cutAt); "
                    + "that seal is kept.")
        }
        if let endsAt {
            lines.append("  The organization is to be deleted on \(endsAt).")
        }
        for finding in report.findings {
            lines += Diagnosis.lines(finding.severity, finding.text, finding.advice)
            var ids = finding.subjectIDs.prefix(Self.shownIDs).joined(separator: ", ")
            let more = finding.count - min(finding.subjectIDs.count, Self.shownIDs)
            if more > 0 { ids += " and \(more) more" }
            lines.append("            \(finding.subjectKind): \(ids)")
        }
        return lines
    }
}

// MARK: For programs

extension Diagnosis {
    var json: JSONValue {
        [
            "isWell": .bool(errors == 0),
            "deployment": [
                "findings": .array(
                    findings.map {
                        [
                            "code": .text($0.code), "severity": .text($0.severity.rawValue),
                            "text": .text($0.text), "advice": .text($0.advice),
                        ]
                    }),
                "passed": .array(passed.map(JSONValue.text)),
            ],
            "organizations": .array(organizations.map(\.json)),
        ]
    }
}

extension Diagnosis.Organization {
    fileprivate var json: JSONValue {
        var seal = JSONValue.null
        if let sealNumber, let sealDigest {
            seal = [
                "number": .number(JSONNumber(Int64(sealNumber))), "digest": .text(sealDigest),
            ]
        }
        return [
            "organizationId": .text(id.uuid.description), "name": .text(name), "lastSeal": seal,
            "removedUpToSeal": cutNumber.map { .number(JSONNumber(Int64($0))) } ?? .null,
            "deletedAt": endsAt.map { .text($0.description) } ?? .null, "checks": report.json,
        ]
    }
}
