import Access
import Activities
import Announcements
import Audit
import Catalog
import Changes
import Crypto
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
import RosterAPI
import SCIM
import School
import Tools

/// Every feature of this server, one per line.
///
/// - Parameters:
///   - spool: the folder for data that is too large for memory.
///   - url: by which clients know this server; `nil` for the one that each request names.
///   - schema: the version the database should be at, for readiness checks.
///   - client: asks sign-in providers.
///   - webhookClient: calls webhooks.
///   - sources: asks roster sources.
///   - credentialsKey: the file of the key with which secrets are sealed; in that folder if `nil`.
///   - toolClient: asks tools for their keys.
///   - passwordCost: at which passwords are hashed.
package func allFeatures(
    database: Database, spool: String = "/tmp", url: String? = nil, schema: SchemaVersion? = nil,
    client: any OutgoingCalls = HTTPClient(),
    webhookClient: any OutgoingCalls = HTTPClient(limits: .webhooks),
    toolClient: any OutgoingCalls = HTTPClient(),
    sources: any BlockingCalls = BlockingClient(limits: .rosterSources),
    credentialsKey: String? = nil,
    passwordCost: PasswordCost = .standard,
    log: Log? = nil
) -> [any Feature] {
    let viewings = Viewings(database: database, log: log)
    let key = CredentialKey(at: credentialsKey ?? spool + "/credentials.key")
    let issuer = Issuer(url: url)
    let activities = Activities(database: database, log: log)
    let features: [any Feature] = [
        Access(
            database: database, issuer: issuer, passwords: PasswordThreads(cost: passwordCost),
            client: client, key: key),
        Directory(database: database),
        Imports(database: database, spool: spool, key: key, sources: sources, log: log),
        OneRoster(database: database, viewings: viewings, issuer: issuer),
        Grades(database: database, viewings: viewings),
        SCIM(database: database, issuer: issuer),
        RosterAPI(database: database),
        Privileges(database: database),
        Licences(database: database),
        Catalog(database: database, log: log),
        Handouts(database: database, viewings: viewings),
        Announcements(database: database),
        activities,
        XAPI(activities: activities, issuer: issuer),
        Reports(database: database, viewings: viewings),
        Tools(
            database: database, issuer: issuer, client: toolClient,
            isInboxCrowded: { activities.isInboxCrowded($0) }),
        Exports(database: database, spool: spool, log: log),
        Changes(database: database, client: webhookClient, key: key, log: log),
        Audit(database: database),
        Records(database: database, spool: spool),
        Retention(database: database),
    ]
    return features + [Documents(features: features, database: database, schema: schema)]
}
