import Postgres
import School

extension FeatureTable {
    /// What browsers hold, and where people are signed in.
    static let signIn = FeatureTable(
        calls: """
            POST   /v1/me/session/renewal                x   x   x   x   x   x   x   x   .   .   .
            GET    /v1/me/sessions                       x   x   x   x   x   x   x   x   .   .   .
            DELETE /v1/me/sessions                       x   x   x   x   x   x   x   x   .   .   .
            DELETE /v1/me/sessions/{id}                  x   x   x   x   x   x   x   x   .   .   .
            GET    /v1/people/{id}/sessions              x   x   x   .   .   .   .   .   .   .   .
            DELETE /v1/people/{id}/sessions/{sessionId}  x   x   x   .   .   .   .   .   .   .   .
            """,
        population: [], policies: [], rights: [], writes: [])
}
