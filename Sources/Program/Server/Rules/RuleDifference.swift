import Records

/// One thing that is in the database and not in `SQL/`, or the other way round, or otherwise there.
struct RuleDifference: Hashable {
    enum Change: Hashable {
        case extra, missing, changed
        /// An element of a list that no file has, or that is not there.
        case gained(String)
        case lost(String)
    }

    let kind: RuleEntry.Kind
    let of: String
    let name: String
    let change: Change
    /// What the file says; `nil` if it has no such thing.
    let kept: String?

    /// What it is, such as `"everyone" on activity_assignment`.
    private var label: String {
        switch kind {
        case .policy: "\"\(name)\" on \(of)"
        case .constraint, .trigger, .index, .rule: "\(name) on \(of)"
        case .column: "\(of).\(name)"
        case .table, .function, .schema, .role, .members, .setting, .defaultRights: name
        case .rights, .rowSecurity, .enforcement: of
        }
    }

    /// What it is part of: all functions of a name are applied as one.
    var whole: String {
        let name = kind == .function ? String(self.name.prefix { $0 != "(" }) : self.name
        return "\(kind.rawValue) \(name) \(of)"
    }

    private var noun: String { (kind == .index ? "an " : "a ") + kind.rawValue }

    /// A sentence that names it.
    var text: String {
        switch (kind, change) {
        case (.rights, .gained(let right)): "A right that no file grants: \(right) on \(of)."
        case (.rights, .lost(let right)):
            "A right that a file grants is missing: \(right) on \(of)."
        case (.rowSecurity, _): "Row security is off, or forced, on the table \(of)."
        case (.enforcement, _):
            "The foreign keys of the table \(of) are not enforced: its triggers are disabled."
        case (.role, .gained(let right)):
            "The role \(name) may do what no file gives it: \(right)."
        case (.role, .lost(let right)): "The role \(name) lacks what a file gives it: \(right)."
        case (.members, .gained(let member)):
            "A membership that no file has: \(member) may act as \(name)."
        case (.members, .lost(let member)):
            "A membership is missing: \(member) may not act as \(name)."
        case (.setting, .gained(let line)): "A setting that no file has, for \(name): \(line)."
        case (.defaultRights, .gained(let right)):
            "Default rights that no file has: \(right) on new \(name)."
        case (.defaultRights, _): "Default rights are not as they should be: those on new \(name)."
        case (.schema, _): "The schema \(name) belongs to another role than school_owner."
        case (_, .extra): "The database has \(noun) that no file has: \(label)."
        case (_, .missing): "The database lacks \(noun): \(label)."
        default:
            "\(noun.prefix(1).uppercased() + noun.dropFirst()) is not as its file says: \(label)."
        }
    }

    /// What opens something, or no longer keeps out what is wrong, is an error; what is merely slow is not.
    var severity: CheckReport.Severity {
        kind == .index && kept?.hasPrefix("CREATE UNIQUE") != true ? .warning : .error
    }

    /// Whether `homeroom migrate --whole` puts it back.
    private var isPutBack: Bool {
        switch kind {
        case .policy, .rights, .function, .trigger, .rowSecurity, .enforcement: true
        case .members: if case .lost = change { true } else { false }
        case .defaultRights: change == .missing
        default: false
        }
    }

    var advice: String {
        if isPutBack { return "Find out who did that. homeroom migrate --whole puts it back." }
        let table = "alter table school.\(of)"
        return switch (kind, change) {
        case (.constraint, .missing):
            "As school_owner: \(table) add constraint \(name) \(kept ?? "");"
        case (.constraint, .changed):
            "As school_owner: \(table) drop constraint \(name), add constraint \(name) \(kept ?? "");"
        case (.constraint, _), (.rule, _), (.column, .extra), (.table, .extra):
            "Find out what it is for, and drop it."
        case (.index, .missing): "As school_owner: \(kept ?? "");"
        case (.index, _): "As school_owner: drop index school.\(name); \(kept ?? "");"
        case (.members, .gained(let member)): "Take it back: revoke \(name) from \(member);"
        case (.role, .gained(let right)): "Take it back: alter role \(name) no\(right);"
        case (.role, .lost(let right)): "Give it back: alter role \(name) \(right);"
        case (.setting, _): "Find out who set it: alter role or alter database, … reset."
        case (.defaultRights, .gained):
            "Take it back: alter default privileges … revoke. Then run homeroom migrate --whole."
        default:
            "Find out who did that, and compare with a backup. homeroom migrate does not put it back."
        }
    }
}
