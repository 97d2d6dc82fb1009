import Access
import Activities
import Announcements
import Audit
import Catalog
import Changes
import Directory
import Exports
import Grades
import HTTPClient
import Handouts
import Imports
import Licences
import Log
import OneRoster
import Privileges
import Records
import Reports
import Retention
import SCIM
import School

/// Every feature of this server, one per line.
///
/// - Parameters:
///   - spool: the folder for data that is too large for memory.
///   - url: by which clients know this server; `nil` for the one that each request names.
///   - schema: the version the database should be at, for readiness checks.
///   - client: asks sign-in providers.
///   - webhookClient: calls webhooks.
package func allFeatures(
    database: Database, spool: String = "/tmp", url: String? = nil, schema: SchemaVersion? = nil,
    client: any OutgoingCalls = HTTPClient(),
    webhookClient: any OutgoingCalls = HTTPClient(limits: .webhooks), log: Log? = nil
) -> [any Feature] {
    let viewings = Viewings(database: database, log: log)
    let issuer = Issuer(url: url)
    let features: [any Feature] = [
        Access(database: database, issuer: issuer, client: client),
        Directory(database: database),
        Imports(database: database, spool: spool, log: log),
        OneRoster(database: database, issuer: issuer),
        Grades(database: database),
        SCIM(database: database, issuer: issuer),
        Privileges(database: database),
        Licences(database: database),
        Catalog(database: database, log: log),
        Handouts(database: database, viewings: viewings),
        Announcements(database: database),
        Activities(database: database, log: log),
        Reports(database: database, viewings: viewings),
        Exports(database: database, spool: spool, log: log),
        Changes(database: database, client: webhookClient, log: log),
        Audit(database: database),
        Records(database: database, spool: spool),
        Retention(database: database),
    ]
    return features + [Documents(features: features, database: database, schema: schema)]
}
