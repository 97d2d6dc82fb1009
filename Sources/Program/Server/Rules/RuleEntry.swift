/// One thing that the catalogue of PostgreSQL says about our schema, such as a policy on a table.
struct RuleEntry: Hashable {
    /// What it is about, in the order in which differences are reported.
    enum Kind: String, CaseIterable {
        case policy, rights, function, trigger, enforcement, rule, role, members, setting, schema
        case rowSecurity = "row security"
        case defaultRights = "default rights"
        case table, column, constraint, index

        /// Whether it says a list of which each element counts for itself.
        var isList: Bool {
            switch self {
            case .rights, .role, .members, .setting, .defaultRights: true
            default: false
            }
        }
    }

    /// Entries of the same key are the same thing in two databases.
    struct Key: Hashable {
        let kind: Kind
        /// The table or function that it belongs to; empty if it stands for itself.
        let of: String
        let name: String
    }

    let kind: Kind
    let of: String
    let name: String
    /// What the catalogue says, the same in every version of PostgreSQL but for expressions of checks and indexes.
    let said: String

    /// Months of audit events are made as time goes on, each like the others.
    var key: Key { Key(kind: kind, of: Self.withoutMonth(of), name: Self.withoutMonth(name)) }

    /// The elements of a list.
    var elements: [String] { RuleEntry.elements(of: said) }

    static func elements(of said: String) -> [String] {
        said.isEmpty ? [] : said.components(separatedBy: "; ")
    }

    static func withoutMonth(_ text: String) -> String {
        guard text.contains("audit_event_2") else { return text }
        return text.replacing(/audit_event_[0-9]{4}_[0-9]{2}/, with: "audit_event_YYYY_MM")
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [String] {
        split(separator: separator).map(String.init)
    }
}

/// What the catalogue of a new database of this version says: `SQL/catalogue`, which a developer's script writes.
struct KeptCatalogue {
    /// The version of PostgreSQL that wrote the file. Others may print expressions differently.
    let postgresql: Int
    let entries: [RuleEntry.Key: String]

    /// - Parameter text: the content of the file.
    init(_ text: String) throws {
        var postgresql: Int?
        var entries: [RuleEntry.Key: String] = [:]
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                postgresql = line.split(separator: " ").last.flatMap { Int($0) } ?? postgresql
                continue
            }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 4, let kind = RuleEntry.Kind(rawValue: String(fields[0])) else {
                throw CommandFailure("SQL/catalogue has a line that is not understood: \(line)")
            }
            let key = RuleEntry.Key(kind: kind, of: String(fields[1]), name: String(fields[2]))
            entries[key] = String(fields[3])
        }
        guard let postgresql, !entries.isEmpty else {
            throw CommandFailure("SQL/catalogue says nothing.")
        }
        self.postgresql = postgresql
        self.entries = entries
    }

    /// The file for a new database.
    static func text(of entries: [RuleEntry], postgresql: Int) -> String {
        let lines = Set(
            entries.map { entry in
                let key = entry.key
                return [key.kind.rawValue, key.of, key.name, RuleEntry.withoutMonth(entry.said)]
                    .joined(separator: "\t")
            })
        return """
            # What the catalogue says of a new database of this version: homeroom doctor compares it with that of a school.
            # Written by deploy/developer/catalogue, held by a test, and never edited. Made with PostgreSQL \(postgresql)

            """ + lines.sorted().joined(separator: "\n") + "\n"
    }
}
