import Postgres
import School
import Values

extension Statement {
    /// An app has contexts if its catalog has any in the caller's environment, or if the app saved some for the
    /// caller.
    private static func works(_ caller: Caller) -> Statement {
        """
        (exists (select from school.context as c
                  where c.organization_id = a.organization_id and c.bundle_id = a.bundle_id
                    and c.environment = \(caller.environment.rawValue) and c.kind = 'catalog'
                    and c.deleted_at is null)
         or exists (select from school.context as c
                     where c.organization_id = a.organization_id and c.bundle_id = a.bundle_id
                       and c.environment = \(caller.environment.rawValue) and c.kind = 'native'
                       and c.person_id = \(caller.personID) and c.deleted_at is null))
        """
    }

    /// The row's version counts its changes and those of its pools; the last bit says whether the app has contexts.
    private static let version: Statement = "a.version * 2 + w.works::integer"

    private static func columns(_ caller: Caller) -> Statement {
        """
        select a.adam_id as "id", a.adam_id, a.bundle_id, a.name,
               a.product_type, a.is_device_assignable as "deviceAssignable",
               a.is_revocable as "revocable", a.platforms, w.works as "worksWithSchoolwork",
               s.total as "totalCount", s.assigned as "assignedCount",
               s.total - s.assigned as "availableCount", a.created_at,
               a.updated_at, \(fragment: version) as "version"
          from school.app as a
         cross join lateral (
               select coalesce(sum(p.total_count), 0)::bigint as total,
                      coalesce(sum(p.assigned_count), 0)::bigint as assigned
                 from school.pool as p
                where p.organization_id = a.organization_id and p.adam_id = a.adam_id) as s
         cross join lateral (select \(fragment: works(caller)) as works) as w
         where a.organization_id = \(caller.organizationID)
        """
    }

    static func apps(
        for caller: Caller, _ filter: AppFilter, after: String?, limit: Int
    ) -> Statement {
        let type: Statement? = filter.productType.map { "and a.product_type = \($0)" }
        let device: Statement? = filter.isDeviceAssignable.map {
            "and a.is_device_assignable = \($0)"
        }
        let revocable: Statement? = filter.isRevocable.map { "and a.is_revocable = \($0)" }
        let works: Statement? = filter.worksWithSchoolwork.map { "and w.works = \($0)" }
        let bundle: Statement? = filter.bundleID.map { "and a.bundle_id = \($0)" }
        let updated: Statement? = filter.updatedSince.map { "and a.updated_at >= \($0)" }
        let pool: Statement? = filter.location.map {
            """
            and exists (select from school.pool as p
                         where p.organization_id = a.organization_id and p.adam_id = a.adam_id
                           and p.location_id
                               = \(fragment: $0.value(in: caller.organizationID)))
            """
        }
        return """
            \(fragment: columns(caller)) and a.adam_id > \(after ?? "")
               \(optional: type) \(optional: device) \(optional: revocable) \(optional: works)
               \(optional: bundle) \(optional: updated) \(optional: pool)
             order by a.adam_id limit \(limit)
            """
    }

    static func app(_ id: String, for caller: Caller) -> Statement {
        "\(fragment: columns(caller)) and a.adam_id = \(id)"
    }

    /// The only lock that the counts of its pools wait for, and nothing else waits for it.
    static func lockApp(_ id: String, for caller: Caller) -> Statement {
        """
        select \(fragment: version) as "version"
          from school.app as a
         cross join lateral (select \(fragment: works(caller)) as works) as w
         where a.organization_id = \(caller.organizationID) and a.adam_id = \(id)
           for no key update of a
        """
    }

    static func add(_ app: NewApp, to organization: OrganizationID) -> Statement {
        """
        insert into school.app (organization_id, adam_id, bundle_id, name, product_type,
                                is_device_assignable, is_revocable, platforms)
        values (\(organization), \(app.adamID), \(app.bundleID), \(app.name), \(app.productType),
                \(app.isDeviceAssignable), \(app.isRevocable), \(app.platforms))
        """
    }

    /// No row if the app exists already.
    static func addUnlessThere(_ app: NewApp, to organization: OrganizationID) -> Statement {
        "\(fragment: add(app, to: organization)) on conflict do nothing returning adam_id"
    }

    static func replace(_ app: NewApp, in organization: OrganizationID) -> Statement {
        """
        update school.app
           set bundle_id = \(app.bundleID), name = \(app.name), product_type = \(app.productType),
               is_device_assignable = \(app.isDeviceAssignable), is_revocable = \(app.isRevocable),
               platforms = \(app.platforms)
         where organization_id = \(organization) and adam_id = \(app.adamID)
        """
    }

    static func removeApp(_ id: String, of organization: OrganizationID) -> Statement {
        "delete from school.app where organization_id = \(organization) and adam_id = \(id)"
    }
}
