import Postgres
import School
import Values

extension Statement {
    /// A person may have left a lot of data, and no one waits behind this transaction.
    static var takeTime: Statement { "set local statement_timeout = '5min'" }

    static func idOfPerson(
        _ reference: Reference<PersonEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id as "id" from school.person as p
         where p.organization_id = \(organization)
           and (p.person_id = \(reference.id) or p.source_id = \(reference.source))
        """
    }

    /// Starts reading everything about a person, in the order of tables, within the open transaction.
    static func openPersonalRows(of id: PersonID) -> Statement {
        """
        declare personal_row no scroll cursor for
        select table_name, meaning, content::text as content from school.personal_rows(\(id))
        """
    }

    /// The next of those rows; empty after the last.
    static var nextPersonalRows: Statement { "fetch 500 from personal_row" }

    /// What a receipt says about copies that no transaction reaches.
    private static let elsewhere =
        "Folders that homeroom export wrote, what receivers loaded from exports, and backups are not "
        + "reached from here. The operator deletes the person there; homeroom erasures "
        + "apply repeats erasures after a backup was restored."

    static func erase(_ id: PersonID) -> Statement {
        """
        select \(id)::uuid as "personId", e.erased_at, e.counts::json as "counts",
               \(elsewhere) as "elsewhere", e.outcome
          from school.erase_person(\(id)) as e
        """
    }

    static func idOfClass(
        _ reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id as "id" from school.class as c
         where c.organization_id = \(organization)
           and (c.class_id = \(reference.id) or c.source_id = \(reference.source))
        """
    }

    /// The checks of the caller's organization, or of one class of it.
    static func organizationChecks(_ classID: UUID?) -> Statement {
        """
        select code, severity, subject_kind, count, subject_ids, said, advice
          from school.organization_checks(\(classID))
        """
    }

    /// The nightly export that is named after the latest day, if there is one.
    static func lastExport(of organization: OrganizationID) -> Statement {
        """
        select exported_on, taken_at, is_full from school.export_snapshot
         where organization_id = \(organization)
         order by exported_on desc, sequence desc limit 1
        """
    }

    /// The checks of any organization; for the server's login.
    package static func checks(
        of organization: OrganizationID, classID: ClassID? = nil
    ) -> Statement {
        """
        select code, severity, subject_kind, count, subject_ids, said, advice
          from school.run_checks(\(organization), \(classID))
        """
    }
}
