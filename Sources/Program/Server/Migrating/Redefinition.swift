import Postgres

/// Brings functions, triggers, policies and rights to what their files say, within the migrator's open transaction.
/// Replaces only what changed, so that no one waits for the other tables.
///
/// Objects of unknown origin are all dropped and recreated: after the first version that keeps digests, or with
/// `isWhole`.
struct Redefinition {
    private let statements: [DefinedStatement]
    private let wordings: [DefinedObject: Wording]
    private let connection: BlockingConnection

    init(_ statements: [DefinedStatement], _ connection: BlockingConnection) {
        self.statements = statements
        self.connection = connection
        wordings = Redefinition.wordings(of: statements)
    }

    /// What the statements say of each object.
    static func wordings(of statements: [DefinedStatement]) -> [DefinedObject: Wording] {
        var texts: [DefinedObject: [String]] = [.rights: []]
        for statement in statements {
            switch statement.definition {
            case .object(let object): texts[object, default: []].append(statement.script.text)
            case .right: texts[.rights, default: []].append(statement.script.text)
            case .action: break
            }
        }
        var wordings: [DefinedObject: Wording] = [:]
        for (object, texts) in texts { wordings[object] = Wording(texts, of: object.kind) }
        return wordings
    }

    func apply(isWhole: Bool) throws {
        try connection.execute(.enforceForeignKeys)
        try Migrator.becomeOwner(connection)
        try connection.execute(.secureRows)
        let applied = isWhole ? [:] : try Catalogue.applied(connection)
        var found = try Catalogue.fingerprints(connection)
        if applied.isEmpty {
            try connection.execute(.dropPoliciesAndTriggers)
            try drop(found.keys.filter { $0.kind == .function }.map(\.name))
            found = [:]
        }
        let same = wordings.filter { object, wording in
            guard let before = applied[object] else { return false }
            return before.digest == wording.digest && before.fingerprint == found[object]
        }
        let misfits = wordings.filter { object, wording in
            guard object.kind == .function, found[object] != nil, same[object] == nil else {
                return false
            }
            let before = applied[object]
            return before?.signature != wording.signature || before?.fingerprint != found[object]
        }
        if !misfits.isEmpty {
            try drop(misfits.keys.map(\.name))
            found = try Catalogue.fingerprints(connection)
        }
        let isNewFunction = wordings.keys.contains { $0.kind == .function && found[$0] == nil }
        try run(except: Set(same.keys.filter { found[$0] != nil }), found)
        try dropUnwanted(found)
        if same[.rights] == nil || isNewFunction { try renewRights() }
        try Catalogue.remember(wordings, connection)
    }

    /// Runs all statements but those about rights and those whose object is up to date.
    private func run(
        except same: Set<DefinedObject>, _ found: [DefinedObject: String]
    ) throws {
        for statement in statements {
            if case .right = statement.definition { continue }
            if case .object(let object) = statement.definition {
                if same.contains(object) { continue }
                if object.kind == .policy, found[object] != nil { try dropOnTable(object) }
            }
            try run(statement)
        }
        try Migrator.becomeOwner(connection)
    }

    private func run(_ statement: DefinedStatement) throws {
        do {
            try connection.execute(script: statement.script)
        } catch {
            throw Migrator.Failure(file: statement.file, cause: error)
        }
    }

    /// Drops functions by name together with what uses them, which is then found missing and recreated.
    private func drop(_ functions: [String]) throws {
        try connection.query(
            "select set_config('homeroom.dropping', \(functions.joined(separator: ",")), true)")
        try connection.execute(.dropFunctions)
    }

    private func dropUnwanted(_ found: [DefinedObject: String]) throws {
        let unwanted = found.keys.filter { wordings[$0] == nil }
        for object in unwanted where object.table != nil { try dropOnTable(object) }
        let functions = unwanted.filter { $0.kind == .function }.map(\.name)
        if !functions.isEmpty { try drop(functions) }
    }

    private func dropOnTable(_ object: DefinedObject) throws {
        guard let table = object.table else { return }
        if object.kind == .policy {
            try connection.execute(
                "drop policy \(identifier: object.name) on \(identifier: table)")
        } else {
            try connection.execute(
                "drop trigger \(identifier: object.name) on \(identifier: table)")
        }
    }

    /// Revokes every right and grants those of the files; no one sees the state between.
    private func renewRights() throws {
        try connection.execute(.revokeEverything)
        for statement in statements where statement.definition == .right { try run(statement) }
    }
}
