import Postgres
import School
import Values

extension Statement {
    private static let licenceColumns: Statement = """
        l.licence_id as "id", l.adam_id, l.location_id,
               l.person_id, l.serial_number,
               l.created_at, l.updated_at, l.version
        """

    /// What granting needs to know about an app; no row if it does not exist.
    static func holdableApp(_ id: String, of organization: OrganizationID) -> Statement {
        """
        select a.is_device_assignable, a.is_revocable from school.app as a
         where a.organization_id = \(organization) and a.adam_id = \(id)
        """
    }

    static func licences(
        of app: String, _ filter: LicenceFilter, in organization: OrganizationID, after: UUID?,
        limit: Int
    ) -> Statement {
        let person: Statement? = filter.person.map {
            "and l.person_id = \(fragment: $0.value(in: organization))"
        }
        let location: Statement? = filter.location.map {
            "and l.location_id = \(fragment: $0.value(in: organization))"
        }
        let device: Statement? = filter.serialNumber.map {
            "and l.device_adam_id = \(app) and l.serial_number = \($0)"
        }
        let updated: Statement? = filter.updatedSince.map { "and l.updated_at >= \($0)" }
        let next: Statement? = after.map { "and l.licence_id > \($0)" }
        return """
            select \(fragment: licenceColumns) from school.licence as l
             where l.organization_id = \(organization) and l.adam_id = \(app)
               \(optional: person) \(optional: location) \(optional: device) \(optional: updated)
               \(optional: next)
             order by l.licence_id limit \(limit)
            """
    }

    static func licence(
        _ id: UUID, of app: String, in organization: OrganizationID
    ) -> Statement {
        """
        select \(fragment: licenceColumns) from school.licence as l
         where l.organization_id = \(organization) and l.adam_id = \(app) and l.licence_id = \(id)
        """
    }

    /// The licences of the holders, all of them people or all devices, ordered by id.
    static func licences(
        of app: String, heldBy holders: [Holder], in organization: OrganizationID
    ) -> Statement {
        let people = holders.compactMap(\.person)
        let held: Statement =
            people.isEmpty
            ? """
            l.device_adam_id = \(app) and l.serial_number = any (\(holders.compactMap(\.serialNumber)))
            """
            : "l.adam_id = \(app) and l.person_id = any (\(people))"
        return """
            select \(fragment: licenceColumns) from school.licence as l
             where l.organization_id = \(organization) and \(fragment: held)
             order by l.licence_id
            """
    }

    /// Grants licences and returns those that it created. A holder who was granted one from another pool at the same
    /// moment keeps that one.
    static func grant(
        _ holders: [Holder], of app: String, in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.licence
               (organization_id, licence_id, adam_id, location_id, person_id, serial_number)
        select \(organization), school.new_id(), \(app), w.location_id, w.person_id, w.serial_number
          from unnest(\(holders.map(\.location)), \(holders.map(\.person)),
                      \(holders.map(\.serialNumber)))
               with ordinality as w (location_id, person_id, serial_number, position)
         order by w.position
            on conflict do nothing
        returning licence_id, person_id, serial_number
        """
    }

    /// A licence, and whether it can be given back.
    static func licenceToGiveBack(
        _ id: UUID, of app: String, in organization: OrganizationID
    ) -> Statement {
        """
        select l.version, l.person_id, a.is_revocable
          from school.licence as l
          join school.app as a on a.organization_id = l.organization_id and a.adam_id = l.adam_id
         where l.organization_id = \(organization) and l.adam_id = \(app) and l.licence_id = \(id)
        """
    }

    /// No row if someone else has given it back in the meantime.
    static func giveBack(_ id: UUID, in organization: OrganizationID) -> Statement {
        """
        delete from school.licence
         where organization_id = \(organization) and licence_id = \(id)
        returning licence_id
        """
    }

    /// Gives back the holders' licences of an app, and returns each as it was before. The holders are all people or all
    /// devices. No row for a licence that someone else has given back in the meantime.
    static func giveBack(
        all holders: ReturningHolders, of app: String, outOf location: LocationID?,
        in organization: OrganizationID
    ) -> Statement {
        let atLocation: Statement? = location.map { "and d.location_id = \($0)" }
        let held: Statement =
            switch holders {
            case .people(let ids): "d.adam_id = \(app) and d.person_id = any (\(ids))"
            case .devices(let numbers):
                "d.device_adam_id = \(app) and d.serial_number = any (\(numbers))"
            }
        return """
            with gone as (
                delete from school.licence as d
                 where d.organization_id = \(organization) and \(fragment: held) \(optional: atLocation)
                returning d.*
            )
            select \(fragment: licenceColumns) from gone as l order by l.licence_id
            """
    }
}
