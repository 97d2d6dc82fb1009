import Postgres
import School

extension Statement {
    static func events(
        of organization: OrganizationID, _ filter: AuditFilter, after: AuditPosition?, limit: Int
    ) -> Statement {
        let (isAfter, direction): (Statement, Statement) =
            filter.isOldestFirst ? (">", "") : ("<", "desc")
        let next: Statement? = after.map {
            "and (e.arrived_at, e.event_id) \(fragment: isAfter) (\($0.moment), \($0.id))"
        }
        let kind: Statement? = filter.kind.map { "and e.kind = \($0)" }
        let person: Statement? = filter.personID.map { "and e.person_id = \($0)" }
        let account: Statement? = filter.serviceAccountID.map {
            "and e.service_account_id = \($0)"
        }
        let subject: Statement? = filter.subjectID.map { "and e.subject_id = \($0)" }
        let session: Statement? = filter.sessionID.map { "and e.session_id = \($0)" }
        let token: Statement? = filter.tokenID.map { "and e.token_id = \($0)" }
        let since: Statement? = filter.since.map { "and e.arrived_at >= \($0)" }
        let until: Statement? = filter.until.map { "and e.arrived_at < \($0)" }
        return """
            select e.event_id as "id", e.arrived_at as "at", e.kind, e.standing,
                   e.person_id, e.service_account_id,
                   e.session_id, e.token_id, e.app, e.address, e.subject_kind,
                   e.subject_id, e.details
              from school.audit_event as e
             where e.organization_id = \(organization) \(optional: kind) \(optional: person)
               \(optional: account) \(optional: subject) \(optional: session) \(optional: token)
               \(optional: since) \(optional: until) \(optional: next)
             order by e.arrived_at \(fragment: direction), e.event_id \(fragment: direction) limit \(limit)
            """
    }
}
