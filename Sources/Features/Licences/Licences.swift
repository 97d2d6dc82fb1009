import API
import Postgres
import School

/// The apps and books that the school bought in bulk, how many seats of each a location has, and who or what holds
/// one.
///
/// `SQL/policies/licences.sql` decides who may do what. Constraints and the triggers of
/// `SQL/functions/licences/licences.sql` ensure that counts add up and no pool is oversold; the checks here only
/// explain such refusals in advance.
package struct Licences: Feature {
    package let meaning = "Apps and books that the school bought, and who holds them."
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        appEndpoints + poolEndpoints + licenceEndpoints + [returnEndpoint, ownLicencesEndpoint]
    }

    package var constraints: [String: Problem] {
        [
            "app_pkey": .appExists,
            "pool_is_never_oversold": .tooFewLicences,
            "pool_location": .locationHasPools,
            "licence_pool": .licencesAssigned,
            "licence_is_of_an_app_for_devices": .devicesHoldLicences,
            "licence_holder_is_active": .holderDeactivated,
        ]
    }

    /// The standings that manage licences.
    static let standings: [Standing] = [.administrator, .contentManager]
}

extension Statement {
    /// The location itself; no row if the caller does not see it.
    static func location(
        _ reference: Reference<LocationEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select l.location_id as "id" from school.location as l
         where l.organization_id = \(organization)
           and l.location_id = \(fragment: reference.value(in: organization))
        """
    }
}
