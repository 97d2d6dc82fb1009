import Postgres
import School

extension Statement {
    static func pools(
        of app: String, in organization: OrganizationID, after: LocationID?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map { "and pool.location_id > \($0)" }
        return """
            \(fragment: Licences.pool.listedSelection)
              left join school.waiting_students(\(app)) as waiting
                on waiting.location_id = pool.location_id
             where pool.organization_id = \(organization) and pool.adam_id = \(app) \(optional: next)
             order by pool.location_id limit \(limit)
            """
    }

    static func pool(
        of app: String, at location: Reference<LocationEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: Licences.pool.selection)
         where pool.organization_id = \(organization) and pool.adam_id = \(app)
           and pool.location_id = \(fragment: location.value(in: organization))
        """
    }

    /// Locks all pools of an app in the order of the locations, as all other statements do.
    static func lockPools(of app: String, in organization: OrganizationID) -> Statement {
        """
        select p.location_id from school.pool as p
         where p.organization_id = \(organization) and p.adam_id = \(app)
         order by p.location_id for no key update
        """
    }

    static func lockPools(
        of app: String, at locations: [LocationID], in organization: OrganizationID
    ) -> Statement {
        """
        select p.location_id, p.total_count, p.assigned_count, p.version
          from school.pool as p
         where p.organization_id = \(organization) and p.adam_id = \(app)
           and p.location_id = any (\(locations))
         order by p.location_id for no key update
        """
    }

    /// No row if the pool exists already.
    static func addPoolUnlessThere(
        of app: String, at location: LocationID, _ total: Int, _ organization: OrganizationID
    ) -> Statement {
        """
        insert into school.pool (organization_id, adam_id, location_id, total_count)
        values (\(organization), \(app), \(location), \(total))
            on conflict do nothing returning location_id
        """
    }

    static func setTotal(
        _ total: Int, of app: String, at location: LocationID, _ organization: OrganizationID
    ) -> Statement {
        """
        update school.pool set total_count = \(total)
         where organization_id = \(organization) and adam_id = \(app) and location_id = \(location)
        """
    }

    static func removePool(
        of app: String, at location: LocationID, _ organization: OrganizationID
    ) -> Statement {
        """
        delete from school.pool
         where organization_id = \(organization) and adam_id = \(app) and location_id = \(location)
        """
    }

    /// Changes both at once, so that the sum never differs.
    static func transfer(
        _ count: Int, of app: String, from: LocationID, to: LocationID,
        _ organization: OrganizationID
    ) -> Statement {
        """
        update school.pool as p
           set total_count = p.total_count
                             + case p.location_id when \(from) then -\(count) else \(count) end
         where p.organization_id = \(organization) and p.adam_id = \(app)
           and p.location_id = any (\([from, to]))
        """
    }
}
