import Postgres
import School
import Values

extension Statement {
    private static let columns: Statement = """
        select t.term_id as "id", t.parent_id as "parentId", t.source_id as "sourceId", t.name, t.kind,
               t.starts_on as "startsOn", t.ends_on as "endsOn",
               case when t.closed_at is null then 'open' else 'closed' end as "status",
               t.closed_at as "closedAt", t.created_at as "createdAt", t.updated_at as "updatedAt",
               t.version
          from school.term as t
        """

    static func terms(
        of organization: OrganizationID, _ filter: TermFilter, after: UUID?, limit: Int
    ) -> Statement {
        let kind: Statement? = filter.kind.map { "and t.kind = \($0)" }
        let closed: Statement? = filter.isClosed.map { "and (t.closed_at is not null) = \($0)" }
        let day: Statement? = filter.day.map { "and t.starts_on <= \($0) and t.ends_on > \($0)" }
        let parent: Statement? = filter.parent.map {
            "and t.parent_id = \(fragment: $0.value(in: organization))"
        }
        let named: Statement? = filter.name.map {
            "and t.term_id = any (school.find_named('term', \($0)))"
        }
        let source: Statement? = filter.sourceID.map { "and t.source_id = \($0)" }
        let updated: Statement? = filter.updatedSince.map { "and t.updated_at >= \($0)" }
        let next: Statement? = after.map { "and t.term_id > \($0)" }
        return """
            \(fragment: columns)
             where t.organization_id = \(organization)
               \(optional: kind) \(optional: closed) \(optional: day) \(optional: parent)
               \(optional: named) \(optional: source) \(optional: updated) \(optional: next)
             order by t.term_id limit \(limit)
            """
    }

    static func term(
        _ reference: Reference<TermEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: columns)
         where t.organization_id = \(organization) and \(fragment: reference.names("t"))
        """
    }

    static func lockTerm(
        _ reference: Reference<TermEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select t.term_id as "id", t.version, t.closed_at from school.term as t
         where t.organization_id = \(organization) and \(fragment: reference.names("t"))
           for update
        """
    }

    /// A larger term, whose days stay as they are until the transaction ends.
    static func lockParent(
        _ reference: Reference<TermEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select t.term_id as "id", t.kind, t.starts_on, t.ends_on, t.closed_at from school.term as t
         where t.organization_id = \(organization) and \(fragment: reference.names("t"))
           for share
        """
    }

    /// How many parts of a term would lie outside of its new days, and of which kinds its parts are.
    static func parts(
        of id: TermID, outside term: NewTerm, of organization: OrganizationID
    ) -> Statement {
        """
        select count(*) filter (where starts_on < \(term.startsOn) or ends_on > \(term.endsOn)) as outside,
               coalesce(array_agg(distinct kind), '{}') as kinds
          from school.term
         where organization_id = \(organization) and parent_id = \(id)
        """
    }

    static func add(
        _ term: NewTerm, _ id: TermID, in parent: TermID?, to organization: OrganizationID
    ) -> Statement {
        """
        insert into school.term (organization_id, term_id, source_id, parent_id, name, kind, starts_on,
                                 ends_on)
        values (\(organization), \(id), \(term.sourceID), \(parent), \(term.name),
                \(term.kind.rawValue), \(term.startsOn), \(term.endsOn))
        """
    }

    static func replace(
        _ id: TermID, by term: NewTerm, in parent: TermID?, of organization: OrganizationID
    ) -> Statement {
        """
        update school.term
           set source_id = \(term.sourceID), parent_id = \(parent), name = \(term.name),
               kind = \(term.kind.rawValue), starts_on = \(term.startsOn), ends_on = \(term.endsOn)
         where organization_id = \(organization) and term_id = \(id)
        """
    }

    static func hanging(on id: TermID, of organization: OrganizationID) -> Statement {
        """
        select (select count(*) from school.class
                 where organization_id = \(organization) and term_id = \(id)) as "classes",
               (select count(*) from school.term
                 where organization_id = \(organization) and parent_id = \(id)) as "parts"
        """
    }

    static func remove(_ id: TermID, of organization: OrganizationID) -> Statement {
        """
        delete from school.term where organization_id = \(organization) and term_id = \(id)
        """
    }

    /// Those of the terms that are closed; the others stay open until the transaction ends.
    static func closedTerms(among ids: [TermID]) -> Statement {
        """
        select c as "id" from school.closed_terms(\(ids)) as c
        """
    }

    /// The ids of terms, null for what the caller does not see.
    static func resolve(
        _ references: Referring<TermEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select coalesce(i.term_id, s.term_id) as "id"
          from unnest(\(references.ids), \(references.sources))
               with ordinality as w (id, source, position)
          left join school.term as i
            on i.organization_id = \(organization) and i.term_id = w.id
          left join school.term as s
            on s.organization_id = \(organization) and s.source_id = w.source
         order by w.position
        """
    }
}
