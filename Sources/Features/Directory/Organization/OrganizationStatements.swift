import Postgres
import School

extension Statement {
    static func organization(_ id: OrganizationID) -> Statement {
        """
        select o.organization_id as "id", o.name,
               array(select d.domain from school.organization_domain as d
                      where d.organization_id = o.organization_id
                      order by d.position, d.domain) as "domains",
               o.managed_id_format, o.time_zone,
               json_build_object('students', o.class_students_max,
                                 'teachers', o.class_teachers_max) as "classSizeLimits",
               json_build_object('enabled', o.is_student_progress_enabled) as "studentProgress",
               o.is_reclaiming_licences as "reclaimLicences", o.shared_device_idle_minutes,
               o.own_device_idle_hours, o.name_order,
               o.allows_passwords_in_apps, o.is_without_passwords as "withoutPasswords",
               o.import_left_out_percent,
               o.created_at, o.updated_at, o.version
          from school.organization as o
         where o.organization_id = \(id)
        """
    }

    static func lockOrganization(_ id: OrganizationID) -> Statement {
        """
        select version from school.organization where organization_id = \(id) for update
        """
    }

    /// Also increments the version, whatever changes.
    static func change(_ id: OrganizationID, _ change: OrganizationChange) -> Statement {
        """
        update school.organization
           set name = coalesce(\(change.name), name),
               managed_id_format = coalesce(\(change.format), managed_id_format),
               time_zone = coalesce(\(change.timeZone), time_zone),
               is_reclaiming_licences
                   = coalesce(\(change.reclaimsLicences), is_reclaiming_licences),
               class_students_max = coalesce(\(change.classSizes.students), class_students_max),
               class_teachers_max = coalesce(\(change.classSizes.teachers), class_teachers_max),
               shared_device_idle_minutes
                   = coalesce(\(change.sharedDeviceIdleMinutes), shared_device_idle_minutes),
               own_device_idle_hours = coalesce(\(change.ownDeviceIdleHours), own_device_idle_hours),
               name_order = coalesce(\(change.nameOrder), name_order),
               import_left_out_percent
                   = coalesce(\(change.importLeftOutPercent), import_left_out_percent)
         where organization_id = \(id)
        """
    }

    static func allowPasswordsInApps(_ id: OrganizationID, _ allows: Bool) -> Statement {
        """
        update school.organization set allows_passwords_in_apps = \(allows) where organization_id = \(id)
        """
    }

    /// Fails by `organization_without_passwords_has_a_provider` without a sign-in provider.
    static func setWithoutPasswords(_ id: OrganizationID, _ isWithout: Bool) -> Statement {
        """
        update school.organization set is_without_passwords = \(isWithout) where organization_id = \(id)
        """
    }

    static func setStudentProgress(enabled: Bool, delete: Bool) -> Statement {
        """
        select school.set_student_progress(\(enabled), \(delete))
        """
    }

    /// Fails by `domain_directory_pkey` if another organization has one of them.
    static func reserve(_ domains: [String], for id: OrganizationID) -> Statement {
        """
        insert into school.domain_directory (domain, organization_id)
        select w.domain, \(id) from unnest(\(domains)) as w (domain)
         where not exists (select from school.domain_directory as d
                            where d.organization_id = \(id) and d.domain = w.domain)
         order by w.domain
        """
    }

    static func order(_ domains: [String], of id: OrganizationID) -> Statement {
        """
        insert into school.organization_domain (organization_id, domain, position)
        select \(id), w.domain, w.position
          from unnest(\(domains)) with ordinality as w (domain, position)
            on conflict on constraint organization_domain_pkey
            do update set position = excluded.position
        """
    }

    static func removeDomains(of id: OrganizationID, but kept: [String]) -> Statement {
        """
        delete from school.organization_domain
         where organization_id = \(id) and domain <> all (\(kept))
        """
    }

    static func freeDomains(of id: OrganizationID, but kept: [String]) -> Statement {
        """
        delete from school.domain_directory
         where organization_id = \(id) and domain <> all (\(kept))
        """
    }
}
