import Postgres
import School

/// The apps and books that the school bought in bulk, how many seats of each a location has, and who or what
/// holds one.
///
/// Who may do what is decided in `SQL/policies/licences.sql`. That counts add up and no pool is oversold is
/// kept by constraints and the triggers of `SQL/functions/licences/licences.sql`; here stand the words that say so
/// before they would.
package struct Licences: Feature {
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

    /// Whose business licences are.
    static let standings: [Standing] = [.administrator, .contentManager]
}

extension Statement {
    /// The location itself: no row where the caller sees none.
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
