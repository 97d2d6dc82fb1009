import JSONBytes
import Postgres
import School
import Values

extension Statement {
    /// Counting what would go reads all that is old.
    static let takeTime: Statement = "set local statement_timeout = '1min'"

    static func set(_ rules: JSONDocument) -> Statement {
        "select school.set_retention(\(rules))"
    }

    static let rules: Statement = """
        select kind, years, days, set_at, effective_at, removed_before, going
          from school.retention_rules()
        """

    static func lastNight(of organization: OrganizationID) -> Statement {
        """
        select night, counts::json as "removed", finished_at from school.retention_night
         where organization_id = \(organization)
        """
    }

    // MARK: Holds

    private static let shown: Statement = """
        hold_id as "id", person_id, class_id, reason, created_at
        """

    static func holds(of organization: OrganizationID) -> Statement {
        """
        select coalesce(json_agg(json_build_object(
                   'id', hold_id, 'personId', person_id, 'classId', class_id, 'reason', reason,
                   'createdAt', school.rfc3339(created_at)) order by created_at, hold_id), '[]') as items
          from school.retention_hold
         where organization_id = \(organization)
        """
    }

    static func hold(_ id: ID<HoldEntity>, of organization: OrganizationID) -> Statement {
        """
        select \(fragment: shown) from school.retention_hold
         where organization_id = \(organization) and hold_id = \(id)
        """
    }

    static func place(
        _ id: ID<HoldEntity>, _ wish: HoldWish, on subject: UUID, of organization: OrganizationID
    ) -> Statement {
        """
        insert into school.retention_hold (organization_id, hold_id, person_id, class_id, reason)
        values (\(organization), \(id), \(wish.kind == .person ? subject : nil),
                \(wish.kind == .class ? subject : nil), \(wish.reason))
        """
    }

    /// `kind` and `subject_id` of the hold that was lifted; no row if the id is unknown.
    static func lift(_ id: ID<HoldEntity>, of organization: OrganizationID) -> Statement {
        """
        delete from school.retention_hold
         where organization_id = \(organization) and hold_id = \(id)
        returning case when person_id is null then 'class' else 'person' end as kind,
                  coalesce(person_id, class_id) as subject_id
        """
    }

    static func auditHold(
        _ kind: HoldWish.Kind, _ subject: UUID, change: String
    ) -> Statement {
        .audit(
            "retentionChange", subjectKind: kind.rawValue, subject: subject,
            details: ["change": .text(change)])
    }

    static func idOfPerson(
        _ reference: Reference<PersonEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id as "id" from school.person as p
         where p.organization_id = \(organization) and \(fragment: reference.names("p"))
        """
    }

    static func idOfClass(
        _ reference: Reference<ClassEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id as "id" from school.class as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
        """
    }
}
