import API
import Postgres
import Values

/// References in a body, with their pointers.
package struct Referring<Entity>: Sendable {
    package let ids: [ID<Entity>?]
    package let sources: [String?]
    package let pointers: [String]

    /// Texts already checked to be references, each with its pointer.
    package init(_ texts: [String], pointers: [String]) {
        let references = texts.map { Reference<Entity>($0) }
        ids = references.map { $0?.id }
        sources = references.map { $0?.source }
        self.pointers = pointers
    }

    /// A list of references at a pointer.
    package init(_ texts: [String], at pointer: String) {
        self.init(texts, pointers: texts.indices.map { "\(pointer)/\($0)" })
    }

    /// Concatenates the references of several bodies.
    package init(joining parts: [Referring<Entity>]) {
        ids = parts.flatMap(\.ids)
        sources = parts.flatMap(\.sources)
        pointers = parts.flatMap(\.pointers)
    }

    /// The ids in the order of the references. Throws the same 422 for absent and invisible records.
    package func resolved(by rows: Rows) throws -> [ID<Entity>] {
        var found: [ID<Entity>] = []
        var errors: [Problem.Invalid] = []
        for (index, row) in rows.enumerated() {
            if let id = try row.optionalUUID("id") {
                found.append(ID(id))
            } else if errors.count < 100 {
                errors += Problem.unknownReference(pointers[index]).errors
            }
        }
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        return found
    }
}

extension Statement {
    /// The ids that the references name, in order; null for what the caller does not see.
    package static func resolve<Entity: Referable>(
        _ references: Referring<Entity>, in organization: OrganizationID
    ) -> Statement {
        resolve(
            references.ids.map { $0?.uuid }, references.sources, among: Entity.table,
            of: organization)
    }

    /// The same for a table that is known only at run time.
    static func resolve(
        _ ids: [UUID?], _ sources: [String?], among table: Statement,
        of organization: OrganizationID
    ) -> Statement {
        """
        select coalesce(i.\(fragment: table)_id, s.\(fragment: table)_id) as id
          from unnest(\(ids), \(sources)) with ordinality as w (id, source, position)
          left join school.\(fragment: table) as i
            on i.organization_id = \(organization) and i.\(fragment: table)_id = w.id
          left join school.\(fragment: table) as s
            on s.organization_id = \(organization) and s.source_id = w.source
         order by w.position
        """
    }
}
