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
        self.wordings = wordings
    }

    func apply(isWhole: Bool) throws {
        try Migrator.becomeOwner(connection)
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

extension Command {
    fileprivate static var dropPoliciesAndTriggers: Command {
        """
        do $$
        declare
            dropping record;
        begin
            for dropping in
                select policyname, tablename from pg_policies where schemaname = 'school' loop
                execute format('drop policy %I on school.%I', dropping.policyname, dropping.tablename);
            end loop;
            for dropping in
                select t.tgname, t.tgrelid::regclass as of from pg_trigger as t
                  join pg_class as c on c.oid = t.tgrelid
                 where c.relnamespace = 'school'::regnamespace and not t.tgisinternal
                   and t.tgparentid = 0 loop
                execute format('drop trigger %I on %s', dropping.tgname, dropping.of);
            end loop;
        end $$
        """
    }

    /// Drops the functions that `homeroom.dropping` names, with the functions, triggers and policies that use them.
    /// Never a column: no table uses a function that is named here.
    fileprivate static var dropFunctions: Command {
        """
        do $$
        declare
            doomed text;
        begin
            select string_agg(p.oid::regprocedure::text, ', ') into doomed
              from pg_proc as p
             where p.pronamespace = 'school'::regnamespace
               and p.proname = any (string_to_array(current_setting('homeroom.dropping'), ','));
            if doomed is not null then
                execute 'drop routine ' || doomed || ' cascade';
            end if;
        end $$
        """
    }

    /// Revokes from everyone but the owner.
    fileprivate static var revokeEverything: Command {
        """
        do $$
        declare
            grantees text;
        begin
            select 'public, ' || string_agg(quote_ident(rolname), ', ') into grantees
              from pg_roles
             where rolname like 'school\\_%' and rolname <> 'school_owner';
            execute format('revoke all on all tables in schema school from %s', grantees);
            execute format('revoke all on all routines in schema school from %s', grantees);
        end $$
        """
    }
}
