import Postgres
import School
import Values

extension Statement {
    private static func page(_ page: ContentPage) -> Statement {
        "limit \(ContentPage.size) offset \(page.offset)"
    }

    /// The apps and books of the caller's location; for `nil` how many there are.
    static func assets(
        _ filter: AssetFilter, _ page: ContentPage?, in organization: OrganizationID
    ) -> Statement {
        let free: Statement = "p.total_count - p.assigned_count"
        let conditions: [Statement?] = [
            filter.adamID.map { "and a.adam_id = \($0)" },
            filter.productType.map { "and a.product_type = \($0)" },
            filter.pricing.map { "and \($0) = \(ContentAsset.pricing)" },
            filter.isRevocable.map { "and a.is_revocable = \($0)" },
            filter.isForDevices.map { "and a.is_device_assignable = \($0)" },
            filter.available.least.map { "and \(fragment: free) >= \($0)" },
            filter.available.most.map { "and \(fragment: free) <= \($0)" },
            filter.assigned.least.map { "and p.assigned_count >= \($0)" },
            filter.assigned.most.map { "and p.assigned_count <= \($0)" },
        ]
        let chosen: Statement = """
              from school.pool as p
              join school.app as a on a.organization_id = p.organization_id and a.adam_id = p.adam_id
             where p.organization_id = \(organization)
               and p.location_id = (select school.my_content_location())
               \(fragment: conditions.compactMap(\.self).joined(by: " "))
            """
        guard let page else { return "select count(*) as total \(fragment: chosen)" }
        return """
            select a.adam_id, \(ContentAsset.pricing)::text as pricing_param, a.product_type, p.assigned_count,
                   \(fragment: free) as available_count, 0 as retired_count, p.total_count,
                   a.is_device_assignable as device_assignable, a.is_revocable as revocable,
                   a.platforms as supported_platforms
            \(fragment: chosen) order by p.adam_id \(fragment: Self.page(page))
            """
    }

    /// Who and which devices have a licence out of the caller's location; for `nil` how many there are.
    static func assignments(
        _ filter: AssignmentFilter, _ page: ContentPage?, in organization: OrganizationID
    ) -> Statement {
        let conditions: [Statement?] = [
            filter.adamID.map { "and l.adam_id = \($0)" },
            filter.clientUserID.map {
                """
                and l.person_id = any (array(select h.person_id from school.content_holders(\([$0])) as h))
                """
            },
            filter.serialNumber.map {
                "and l.serial_number is not null and l.serial_number = \($0)"
            },
            filter.since.map { "and l.created_at >= \(fragment: .since($0))" },
        ]
        let chosen: Statement = """
             where l.organization_id = \(organization)
               and l.location_id = (select school.my_content_location())
               \(fragment: conditions.compactMap(\.self).joined(by: " "))
            """
        guard let page else {
            return "select count(*) as total from school.licence as l \(fragment: chosen)"
        }
        return """
            select l.adam_id, \(ContentAsset.pricing)::text as pricing_param,
                   coalesce(u.client_user_id, l.person_id::text) as client_user_id, l.serial_number
              from school.licence as l
              left join school.content_user as u
                on u.organization_id = l.organization_id and u.location_id = l.location_id
               and u.person_id = l.person_id and u.retired_at is null
            \(fragment: chosen) order by l.adam_id, l.licence_id \(fragment: Self.page(page))
            """
    }

    /// Whom the device manager registered at its location; for `nil` how many there are.
    static func users(
        _ filter: UserFilter, _ page: ContentPage?, in organization: OrganizationID
    ) -> Statement {
        let conditions: [Statement?] = [
            filter.clientUserID.map { "and u.client_user_id = \($0)" },
            filter.isRetired.map { "and (u.retired_at is not null) = \($0)" },
            filter.since.map { "and u.updated_at >= \(fragment: .since($0))" },
        ]
        let chosen: Statement = """
              from school.content_user as u
             where u.organization_id = \(organization)
               and u.location_id = (select school.my_content_location())
               \(fragment: conditions.compactMap(\.self).joined(by: " "))
            """
        guard let page else { return "select count(*) as total \(fragment: chosen)" }
        return """
            select u.client_user_id, u.email,
                   case when u.retired_at is null then 'Associated' else 'Retired' end as status,
                   case when u.retired_at is null
                        then encode(sha256(convert_to(u.person_id::text, 'UTF8')), 'base64') end as id_hash
            \(fragment: chosen) order by u.client_user_id \(fragment: Self.page(page))
            """
    }

    // MARK: Assigning

    /// What can be done with assets; no row for one that the location does not have.
    static func assets(_ adamIDs: [String], in organization: OrganizationID) -> Statement {
        """
        select a.adam_id, a.is_device_assignable, a.is_revocable
          from school.pool as p
          join school.app as a on a.organization_id = p.organization_id and a.adam_id = p.adam_id
         where p.organization_id = \(organization) and p.adam_id = any (\(adamIDs))
           and p.location_id = (select school.my_content_location())
        """
    }

    static func associate(_ wanted: WantedAssignments) -> Statement {
        """
        select school.associate_content(\(wanted.adamIDs), \(wanted.clientUserIDs), \(wanted.serialNumbers))
               as event_id
        """
    }

    static func disassociate(_ wanted: WantedAssignments) -> Statement {
        """
        select school.disassociate_content(\(wanted.adamIDs), \(wanted.clientUserIDs), \(wanted.serialNumbers))
               as event_id
        """
    }

    /// Takes back whatever is revocable.
    static func revoke(_ wanted: WantedAssignments) -> Statement {
        """
        select school.disassociate_content(null, \(wanted.clientUserIDs), \(wanted.serialNumbers)) as event_id
        """
    }

    static func contentEvent(_ id: UUID, of organization: OrganizationID) -> Statement {
        """
        select e.kind, e.requested_count, e.completed_count, e.failures::json as failures
          from school.content_event as e
         where e.organization_id = \(organization) and e.event_id = \(id)
           and e.location_id = (select school.my_content_location())
        """
    }
}
