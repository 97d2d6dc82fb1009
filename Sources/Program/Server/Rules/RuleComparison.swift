import Postgres
import Records

/// How the rules in a database differ from those of this version: policies, rights, functions, row security, triggers,
/// constraints, indexes, columns and roles.
///
/// Most is compared with `SQL/catalogue`. What versions of PostgreSQL print differently, such as the condition of a policy,
/// is compared with what this PostgreSQL printed when the file was applied.
struct RuleComparison {
    private(set) var differences: [RuleDifference] = []
    /// What could not be compared, as sentences.
    private(set) var leftOut: [String] = []
    /// Whether anything was compared at all.
    private(set) var isCompared = false

    /// Whether what opens something was found.
    var errors: [RuleDifference] { differences.filter { $0.severity == .error } }

    /// - Parameter connection: as any login that may use the schema.
    init(_ definitions: Definitions, _ connection: BlockingConnection) throws {
        guard try Self.isOfThisVersion(definitions, connection) else {
            leftOut = [
                "The rules in the database were not compared with SQL/: it is at the schema of another version."
            ]
            return
        }
        let catalogue = try KeptCatalogue(definitions.catalogue)
        let found = try RuleEntry.found(connection)
        let postgresql = try connection.query(
            "select current_setting('server_version_num')::integer / 10000 as version")[0]
            .int("version")
        isCompared = true
        compare(found, with: catalogue, on: postgresql)
        try compareApplied(definitions, connection)
        sort()
    }

    private static func isOfThisVersion(
        _ definitions: Definitions, _ connection: BlockingConnection
    ) throws -> Bool {
        do {
            let row = try connection.query(.schemaDigest)[0]
            return try row.optionalBytes("digest") == definitions.digest
        } catch {
            guard error.isSchemaMissing else { throw error }
            return false
        }
    }

    private mutating func sort() {
        let order = Dictionary(
            uniqueKeysWithValues: RuleEntry.Kind.allCases.enumerated().map { ($1, $0) })
        differences.sort {
            (order[$0.kind] ?? 0, $0.of, $0.name, $0.text)
                < (order[$1.kind] ?? 0, $1.of, $1.name, $1.text)
        }
    }

    // MARK: With the kept catalogue

    private mutating func compare(
        _ found: [RuleEntry], with catalogue: KeptCatalogue, on postgresql: Int
    ) {
        let isSame = catalogue.postgresql == postgresql
        var printed = 0
        var seen: Set<RuleEntry.Key> = []
        for entry in found {
            seen.insert(entry.key)
            guard let kept = catalogue.entries[entry.key] else {
                noteExtra(entry)
                continue
            }
            let said = RuleEntry.withoutMonth(entry.said)
            if said == kept || Self.differsInParentheses(entry.kind, kept, said) { continue }
            if !isSame, Self.dependsOnVersion(entry.kind, kept, said) {
                printed += 1
            } else if entry.kind.isList {
                noteElements(entry, kept)
            } else {
                note(entry.kind, entry.of, entry.name, .changed, kept)
            }
        }
        for (key, kept) in catalogue.entries where !seen.contains(key) {
            if key.kind.isList {
                for element in RuleEntry.elements(of: kept) {
                    note(key.kind, key.of, key.name, .lost(element), kept)
                }
                if !kept.isEmpty || key.kind == .rights { continue }
            }
            note(key.kind, key.of, key.name, .missing, kept)
        }
        leaveOutWhatFollows()
        if printed > 0 {
            leftOut.append(
                "PostgreSQL \(postgresql) prints \(printed) checks and indexes differently, which were not compared."
            )
        }
    }

    private static func isExpression(_ kind: RuleEntry.Kind, _ kept: String) -> Bool {
        kind == .index
            || kind == .constraint && (kept.hasPrefix("CHECK") || kept.hasPrefix("EXCLUDE"))
    }

    /// Whether an expression was dumped and read again, as by an upgrade: PostgreSQL then prints a row of conditions with
    /// more parentheses, or with fewer.
    private static func differsInParentheses(
        _ kind: RuleEntry.Kind, _ kept: String, _ said: String
    ) -> Bool {
        isExpression(kind, kept)
            && kept.filter { $0 != "(" && $0 != ")" } == said.filter { $0 != "(" && $0 != ")" }
    }

    /// Whether only the expression differs, which another version may print differently.
    private static func dependsOnVersion(
        _ kind: RuleEntry.Kind, _ kept: String, _ said: String
    ) -> Bool {
        isExpression(kind, kept)
            && ["NOT VALID", "INVALID"].allSatisfy { kept.hasSuffix($0) == said.hasSuffix($0) }
    }

    private mutating func noteExtra(_ entry: RuleEntry) {
        // More indexes are the operator's affair.
        if entry.kind == .index { return }
        // Other programs may have roles whose names begin like ours: a role counts by what it was given.
        if entry.kind == .role { return }
        guard entry.kind.isList else {
            return note(entry.kind, entry.of, entry.name, .extra, nil)
        }
        for element in entry.elements {
            note(entry.kind, entry.of, entry.name, .gained(element), nil)
        }
    }

    private mutating func noteElements(_ entry: RuleEntry, _ kept: String) {
        let (now, before) = (Set(entry.elements), Set(RuleEntry.elements(of: kept)))
        for element in now.subtracting(before) {
            note(entry.kind, entry.of, entry.name, .gained(element), kept)
        }
        for element in before.subtracting(now) {
            note(entry.kind, entry.of, entry.name, .lost(element), kept)
        }
    }

    private mutating func note(
        _ kind: RuleEntry.Kind, _ of: String, _ name: String, _ change: RuleDifference.Change,
        _ kept: String?
    ) {
        differences.append(
            RuleDifference(kind: kind, of: of, name: name, change: change, kept: kept))
    }

    /// A table or function that is missing has no rights and columns either, and one that no file has brings its own: those
    /// say nothing more, but for rights that others got on it.
    private mutating func leaveOutWhatFollows() {
        let whole = differences.filter { $0.kind == .table || $0.kind == .function }
        let missing = Set(whole.filter { $0.change == .missing }.map(\.name))
        let extra = Set(whole.filter { $0.change == .extra }.map(\.name))
        differences.removeAll { difference in
            if missing.contains(difference.of) { return true }
            if case .gained = difference.change { return false }
            return extra.contains(difference.of)
        }
    }

    // MARK: With what was applied

    /// `nil` if the function is gone, or the right to it: the catalogue's list says that.
    private static func applied(_ connection: BlockingConnection) throws -> AppliedObjects? {
        do {
            return try AppliedObjects(connection.query(.appliedObjects))
        } catch let error as PostgresError where error.isSchemaMissing {
            return nil
        }
    }

    private mutating func compareApplied(
        _ definitions: Definitions, _ connection: BlockingConnection
    ) throws {
        let printer = try connection.query("select \(fragment: Catalogue.printer) as printer")[0]
            .text("printer")
        guard let applied = try Self.applied(connection), applied.printer == printer else {
            leftOut.append(
                """
                Conditions of policies and bodies of functions were not compared: this PostgreSQL has not printed \
                them yet. Run homeroom migrate --whole once.
                """)
            return
        }
        // As the migrator printed them.
        let found = try connection.withPath("school, pg_temp") {
            try Catalogue.fingerprints(connection)
        }
        let known = Set(differences.map(\.whole))
        for (object, wording) in Redefinition.wordings(of: definitions.redefined) {
            // One that is missing is in the catalogue's list.
            guard let kind = object.ruleKind, let fingerprint = found[object] else { continue }
            let difference = RuleDifference(
                kind: kind, of: object.table ?? "", name: object.name, change: .changed, kept: nil)
            if known.contains(difference.whole) { continue }
            if !applied.says(wording, fingerprint, of: object) {
                differences.append(difference)
            }
        }
    }
}

/// What the migrator noted, and the PostgreSQL that printed it.
private struct AppliedObjects {
    private(set) var printer: String?
    private var digests: [DefinedObject: String] = [:]
    private var fingerprints: [DefinedObject: String] = [:]

    init(_ rows: Rows) throws {
        for row in rows {
            let kind = try row.text("kind")
            let name = try row.text("name")
            if kind == Catalogue.server { printer = try row.text("fingerprint") }
            guard let kind = DefinedObject.Kind(rawValue: kind) else { continue }
            digests[DefinedObject(kind, name)] = try row.text("sha256")
            fingerprints[DefinedObject(kind, name)] = try row.text("fingerprint")
        }
    }

    func says(_ wording: Wording, _ fingerprint: String, of object: DefinedObject) -> Bool {
        digests[object] == wording.digest && fingerprints[object] == fingerprint
    }
}

extension DefinedObject {
    /// `nil` for all rights together, which are compared one by one.
    fileprivate var ruleKind: RuleEntry.Kind? {
        switch kind {
        case .function: .function
        case .trigger: .trigger
        case .policy: .policy
        case .rights: nil
        }
    }
}

extension Statement {
    fileprivate static var appliedObjects: Statement {
        "select kind, name, sha256, fingerprint from school.applied_objects()"
    }
}
