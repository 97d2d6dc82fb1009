import Crypto
import JSONBytes
import Postgres
import Values

extension Resource {
    /// The statements of the resource as they are sent to PostgreSQL, for people to read. `SQL/statements` contains
    /// them, and a test compares it with this.
    package var printedStatements: String {
        let organization = OrganizationID(.v7())
        let id = Entity.Key.new("")
        let body = Draft<Entity>(
            empty: id, values: columns.map { $0.null }, columns: columns)
        var statements: [(String, Statement)] = [
            ("list", list(of: organization, [], after: id, limit: 0)),
            ("find", find(.id(id), of: organization)),
            ("lock", lock(.id(id), of: organization)), ("create", insert(body, to: organization)),
        ]
        let reaching = reaches.flatMap(\.standings).map { standing in
            (
                "list of a \(standing.rawValue)",
                list(of: organization, for: standing, [], after: id, limit: 0)
            )
        }
        statements.insert(contentsOf: reaching, at: 1)
        if !calls.isDisjoint(with: [.replace, .change]) {
            statements.append(("replace and change", update(body, of: organization)))
        }
        if calls.contains(.remove) {
            statements.append(
                ("remove", rules.remove?(id, organization) ?? delete(id, of: organization)))
        }
        if let dependents = rules.dependents {
            statements.append(("what refers to it", dependents(id, organization)))
        }
        if calls.contains(.batch), rules.batch.put == nil {
            statements.append(("batch", putAll(JSONDocument([]), of: organization)))
        }
        return statements.map { "-- \($0.0)\n\($0.1.text)\n" }.joined(separator: "\n")
    }
}
