import School
import TestKit
import Testing

@testable import ServerKit

/// Who may make which call, written independently of the program.
enum CallMatrix {
    enum Access {
        /// Anyone, without a token.
        case open
        /// Developers with a signed token, and nobody else.
        case developers
        case standings(Set<Standing>)
    }

    struct Row {
        /// Method and path.
        let call: String
        let access: Access
    }

    private static let columns: [Standing] = [
        .administrator, .siteManager, .peopleManager, .contentManager, .manager, .teacher, .staff,
        .student, .provisioner, .exporter, .app,
    ]

    /// One line per call: method, path, and for each column `x` if the standing may call; or who else may;
    /// `everybody` is every standing; roster readers, directory writers and tools have only their own
    /// calls, except where `rosterReaders` stands behind the columns.
    private static let table = """
                                                               adm sit peo con man tea sta stu pro exp app
        POST   /v1/sign-in                                     anybody
        POST   /v1/sign-in/refresh                             anybody
        POST   /v1/sign-out                                    everybody
        GET    /v1/me                                          x   x   x   x   x   x   x   x   x   x   .
        PUT    /v1/me/password                                 x   x   x   x   x   x   x   x   .   .   x
        DELETE /v1/me/sign-in-changes                          x   x   x   x   x   x   x   x   .   .   .
        POST   /v1/people/{id}/temporary-password              x   x   x   .   x   x   .   .   x   .   .
        DELETE /v1/people/{id}/sign-in-lock                    x   x   x   .   x   x   .   .   x   .   .
        POST   /v1/sign-in-sheets                              x   x   x   .   x   x   .   .   .   .   .
        POST   /oauth/token                                    anybody
        GET    /v1/service-accounts                            x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/service-accounts                            x   .   .   .   .   .   .   .   .   .   .
        GET    /v1/service-accounts/{id}                       x   .   .   .   .   .   .   .   .   .   .
        PATCH  /v1/service-accounts/{id}                       x   .   .   .   .   .   .   .   .   .   .
        DELETE /v1/service-accounts/{id}                       x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/service-accounts/{id}/secret                x   .   .   .   .   .   .   .   .   .   .
        GET    /v1/organization                                x   x   x   x   x   .   .   .   x   .   .
        PATCH  /v1/organization                                x   x   x   .   .   .   .   .   .   .   .
        GET    /v1/locations                                   x   x   x   x   x   x   .   .   x   .   .
        POST   /v1/locations                                   x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/locations/{id}                              x   x   x   x   x   x   .   .   x   .   .
        PUT    /v1/locations/{id}                              x   x   x   .   .   .   .   .   x   .   .
        PATCH  /v1/locations/{id}                              x   x   x   .   .   .   .   .   x   .   .
        DELETE /v1/locations/{id}                              x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/people                                      x   x   x   x   x   x   .   .   x   .   .
        POST   /v1/people                                      x   x   x   .   x   .   .   .   x   .   .
        GET    /v1/people/{id}                                 x   x   x   x   x   x   .   .   x   .   .
        PUT    /v1/people/{id}                                 x   x   x   .   x   .   .   .   x   .   .
        PATCH  /v1/people/{id}                                 x   x   x   .   x   .   .   .   x   .   .
        DELETE /v1/people/{id}                                 x   x   x   .   x   .   .   .   x   .   .
        PUT    /v1/people/{id}/deactivation                    x   x   x   .   x   .   .   .   x   .   .
        POST   /v1/people/{id}/deactivation                    x   x   x   .   x   .   .   .   x   .   .
        DELETE /v1/people/{id}/deactivation                    x   x   x   .   x   .   .   .   x   .   .
        POST   /v1/people/{id}/reactivation                    x   x   x   .   x   .   .   .   x   .   .
        GET    /v1/courses                                     x   x   x   x   x   x   .   .   x   .   .
        POST   /v1/courses                                     x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/courses/{id}                                x   x   x   x   x   x   .   .   x   .   .
        PUT    /v1/courses/{id}                                x   x   x   .   .   .   .   .   x   .   .
        PATCH  /v1/courses/{id}                                x   x   x   .   .   .   .   .   x   .   .
        DELETE /v1/courses/{id}                                x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/classes                                     x   x   x   x   x   x   .   .   x   .   .
        GET    /v1/me/classes                                  x   x   x   x   x   x   .   x   .   .   .
        POST   /v1/classes                                     x   x   x   .   x   .   .   .   x   .   .
        GET    /v1/classes/{id}                                x   x   x   x   x   x   .   .   x   .   .
        PUT    /v1/classes/{id}                                x   x   x   .   x   .   .   .   x   .   .
        PATCH  /v1/classes/{id}                                x   x   x   .   x   .   .   .   x   .   .
        DELETE /v1/classes/{id}                                x   x   x   .   x   .   .   .   x   .   .
        GET    /v1/terms                                       x   x   x   x   x   x   .   .   x   .   .
        POST   /v1/terms                                       x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/terms/{id}                                  x   x   x   x   x   x   .   .   x   .   .
        PUT    /v1/terms/{id}                                  x   x   x   .   .   .   .   .   x   .   .
        PATCH  /v1/terms/{id}                                  x   x   x   .   .   .   .   .   x   .   .
        DELETE /v1/terms/{id}                                  x   x   x   .   .   .   .   .   x   .   .
        PUT    /v1/terms/{id}/closing                          x   x   x   .   .   .   .   .   x   .   .
        POST   /v1/terms/{id}/closing                          x   x   x   .   .   .   .   .   x   .   .
        DELETE /v1/terms/{id}/closing                          x   x   x   .   .   .   .   .   x   .   .
        POST   /v1/terms/{id}/rollover/preview                 x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/terms/{id}/rollover                         x   .   .   .   .   .   .   .   .   .   .
        GET    /v1/classes/{id}/teachers                       x   x   x   x   x   x   .   .   x   .   .
        PUT    /v1/classes/{id}/teachers                       x   x   x   .   x   .   .   .   x   .   .
        PUT    /v1/classes/{id}/teachers/{personId}            x   x   x   .   x   .   .   .   x   .   .
        DELETE /v1/classes/{id}/teachers/{personId}            x   x   x   .   x   .   .   .   x   .   .
        GET    /v1/classes/{id}/students                       x   x   x   x   x   x   .   .   x   .   .
        PUT    /v1/classes/{id}/students                       x   x   x   .   x   .   .   .   x   .   .
        PUT    /v1/classes/{id}/students/{personId}            x   x   x   .   x   .   .   .   x   .   .
        DELETE /v1/classes/{id}/students/{personId}            x   x   x   .   x   .   .   .   x   .   .
        GET    /v1/classes/{id}/seats                          x   x   x   x   x   x   .   .   x   .   .
        POST   /v1/locations/batch                             x   x   x   .   .   .   .   .   x   .   .
        POST   /v1/people/batch                                x   x   x   .   x   .   .   .   x   .   .
        POST   /v1/courses/batch                               x   x   x   .   .   .   .   .   x   .   .
        POST   /v1/classes/batch                               x   x   x   .   x   .   .   .   x   .   .
        POST   /v1/rosters/batch                               x   x   x   .   x   .   .   .   x   .   .
        PUT    /v1/people/{id}/progress-pause                  x   x   x   .   .   .   .   .   .   .   .
        POST   /v1/people/{id}/progress-pause                  x   x   x   .   .   .   .   .   .   .   .
        DELETE /v1/people/{id}/progress-pause                  x   x   x   .   .   .   .   .   .   .   .
        POST   /v1/imports                                     x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/imports                                     x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/imports/{id}                                x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/imports/{id}/changes                        x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/imports/{id}/findings                       x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/imports/{id}/people                         x   x   x   .   .   .   .   .   x   .   .
        POST   /v1/imports/{id}/undo                           x   .   .   .   .   .   .   .   .   .   .
        GET    /v1/import-templates                            x   x   x   .   .   .   .   .   x   .   .
        POST   /v1/imports/{id}/approval                       x   x   x   .   .   .   .   .   x   .   .
        GET    /v1/apps                                        x   .   .   x   .   .   .   .   .   .   .
        POST   /v1/apps                                        x   .   .   x   .   .   .   .   .   .   .
        GET    /v1/apps/{adamId}                               x   .   .   x   .   .   .   .   .   .   .
        PUT    /v1/apps/{adamId}                               x   .   .   x   .   .   .   .   .   .   .
        PATCH  /v1/apps/{adamId}                               x   .   .   x   .   .   .   .   .   .   .
        DELETE /v1/apps/{adamId}                               x   .   .   x   .   .   .   .   .   .   .
        GET    /v1/apps/{adamId}/pools                         x   .   .   x   .   .   .   .   .   .   .
        GET    /v1/apps/{adamId}/pools/{locationId}            x   .   .   x   .   .   .   .   .   .   .
        PUT    /v1/apps/{adamId}/pools/{locationId}            x   .   .   x   .   .   .   .   .   .   .
        DELETE /v1/apps/{adamId}/pools/{locationId}            x   .   .   x   .   .   .   .   .   .   .
        POST   /v1/apps/{adamId}/pools/{locationId}/transfer   x   .   .   x   .   .   .   .   .   .   .
        POST   /v1/apps/{adamId}/return                        x   .   .   x   .   .   .   .   .   .   .
        GET    /v1/me/licences                                 x   x   x   x   x   x   x   x   .   .   .
        GET    /v1/apps/{adamId}/licences                      x   .   .   x   .   .   .   .   .   .   .
        POST   /v1/apps/{adamId}/licences                      x   .   .   x   .   .   .   .   .   .   .
        GET    /v1/apps/{adamId}/licences/{licenceId}          x   .   .   x   .   .   .   .   .   .   .
        DELETE /v1/apps/{adamId}/licences/{licenceId}          x   .   .   x   .   .   .   .   .   .   .
        GET    /v1/developer-teams                             x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/developer-teams                             x   .   .   .   .   .   .   .   .   .   .
        GET    /v1/developer-teams/{teamId}                    x   .   .   .   .   .   .   .   .   .   .
        PUT    /v1/developer-teams/{teamId}                    x   .   .   .   .   .   .   .   .   .   .
        DELETE /v1/developer-teams/{teamId}                    x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/contexts                                    developers
        GET    /v1/contexts                                    developers
        DELETE /v1/contexts                                    developers
        POST   /v1/thumbnails                                  developers
        GET    /v1/thumbnails                                  developers
        DELETE /v1/thumbnails                                  developers
        GET    /v1/status/{statusId}                           developers
        GET    /v1/development                                 x   .   .   .   .   .   .   .   .   .   .
        PUT    /v1/development                                 x   .   .   .   .   .   .   .   .   .   .
        DELETE /v1/development                                 x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/development/reset                           x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/development/tokens                          x   .   .   .   .   .   .   .   .   .   .
        GET    /v1/developer/organizations                     developers
        GET    /v1/developer/organizations/{organizationId}/development developers
        PUT    /v1/developer/organizations/{organizationId}/development developers
        DELETE /v1/developer/organizations/{organizationId}/development developers
        POST   /v1/developer/organizations/{organizationId}/development/reset developers
        POST   /v1/developer/organizations/{organizationId}/development/tokens developers
        GET    /v1/catalog/apps                                x   .   .   x   .   x   .   .   .   .   .
        GET    /v1/catalog/apps/{bundleId}/contexts            x   .   .   x   .   x   .   .   .   .   .
        GET    /v1/catalog/search                              x   .   .   x   .   x   .   .   .   .   .
        GET    /v1/catalog/contexts/{id}/thumbnail             x   .   .   x   .   x   .   x   .   .   .
        GET    /v1/handouts                                    .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/me/overview                                 .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/me/news                                     .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/me/news/seen                                .   .   .   .   .   x   .   .   .   .   .
        PUT    /v1/me/news/seen                                .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/me/handouts/{id}                            .   .   .   .   .   .   .   x   .   .   .
        GET    /v1/me/handouts/{id}/attempts                   .   .   .   .   .   .   .   x   .   .   .
        POST   /v1/handouts                                    .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/handouts/{id}                               .   .   .   .   .   x   .   x   .   .   .
        PUT    /v1/handouts/{id}                               .   .   .   .   .   x   .   .   .   .   .
        PATCH  /v1/handouts/{id}                               .   .   .   .   .   x   .   .   .   .   .
        DELETE /v1/handouts/{id}                               .   .   .   .   .   x   .   .   .   .   .
        POST   /v1/handouts/{id}/copy                          .   .   .   .   .   x   .   .   .   .   .
        PUT    /v1/handouts/{id}/publication                   .   .   .   .   .   x   .   .   .   .   .
        POST   /v1/handouts/{id}/publication                   .   .   .   .   .   x   .   .   .   .   .
        DELETE /v1/handouts/{id}/publication                   .   .   .   .   .   x   .   .   .   .   .
        PUT    /v1/handouts/{id}/completion                    .   .   .   .   .   x   .   .   .   .   .
        POST   /v1/handouts/{id}/completion                    .   .   .   .   .   x   .   .   .   .   .
        PUT    /v1/handouts/{id}/lock                          .   .   .   .   .   x   .   .   .   .   .
        DELETE /v1/handouts/{id}/lock                          .   .   .   .   .   x   .   .   .   .   .
        PUT    /v1/handouts/{id}/archive                       .   .   .   .   .   x   .   .   .   .   .
        DELETE /v1/handouts/{id}/archive                       .   .   .   .   .   x   .   .   .   .   .
        PUT    /v1/handouts/{id}/students/{personId}           .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/return .   .   .   .   .   x   .   .   .   .   .
        PUT    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/return .   .   .   .   .   x   .   .   .   .   .
        DELETE /v1/handouts/{id}/students/{personId}/tasks/{taskId}/return .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/handouts/{id}/students/{personId}/comments  .   .   .   .   .   x   .   x   .   .   .
        GET    /v1/handouts/{id}/marks                         .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/handouts/{id}/students/{personId}/marks     .   .   .   .   .   x   .   x   .   .   .
        GET    /v1/handouts/{id}/students/{personId}/mark      .   .   .   .   .   x   .   x   .   .   .
        GET    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/mark .   .   .   .   .   x   .   x   .   .   .
        GET    /v1/me/assignments                              .   .   .   .   .   .   .   x   .   .   .
        PUT    /v1/assignments/{id}/opened                     .   .   .   .   .   .   .   x   .   .   .
        DELETE /v1/assignments/{id}/opened                     .   .   .   .   .   .   .   x   .   .   .
        PUT    /v1/assignments/{id}/done                       .   .   .   .   .   .   .   x   .   .   .
        DELETE /v1/assignments/{id}/done                       .   .   .   .   .   .   .   x   .   .   .
        POST   /v1/me/contexts                                 .   .   .   .   .   .   .   .   .   .   x
        GET    /v1/me/contexts                                 .   .   .   .   .   .   .   .   .   .   x
        DELETE /v1/me/contexts                                 .   .   .   .   .   .   .   .   .   .   x
        PUT    /v1/me/contexts/thumbnail                       .   .   .   .   .   .   .   .   .   .   x
        GET    /v1/me/contexts/thumbnail                       .   .   .   .   .   .   .   .   .   .   x
        DELETE /v1/me/contexts/thumbnail                       .   .   .   .   .   .   .   .   .   .   x
        POST   /v1/activities                                  .   .   .   .   .   .   .   .   .   .   x
        POST   /v1/me/completions                              .   .   .   .   .   .   .   .   .   .   x
        GET    /v1/handouts/{id}/report                        .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/handouts/{id}/report/events                 .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/handouts/{id}/students/{personId}           .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/handouts/{id}/tasks/{taskId}/items          .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/classes/{id}/report                         .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/classes/{id}/apps                           .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/classes/{id}/apps/{bundleId}/report         .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/classes/{id}/apps/{bundleId}/students       .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/classes/{id}/insights                       .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/me/insights                                 .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/classes/{id}/students/{personId}/report     .   .   .   .   .   x   .   .   .   .   .
        GET    /v1/me/report                                   .   .   .   .   .   .   .   x   .   .   .
        POST   /v1/exports                                     .   .   .   .   .   .   .   .   .   x   .
        GET    /v1/exports                                     .   .   .   .   .   .   .   .   .   x   .
        GET    /v1/exports/{id}                                .   .   .   .   .   .   .   .   .   x   .
        GET    /v1/exports/{id}/files/{name}                   .   .   .   .   .   .   .   .   .   x   .
        GET    /v1/audit-events                                x   x   x   .   .   .   .   .   .   .   .
        POST   /v1/people/{id}/data-export                     x   .   .   .   .   .   .   .   .   .   .
        POST   /v1/people/{id}/erasure                         x   .   .   .   .   .   .   .   .   .   .
        GET    /v1/checks                                      x   x   x   .   .   .   .   .   .   .   .
        GET    /openapi.json                                   anybody
        GET    /docs                                           anybody
        GET    /docs/{name}                                    anybody
        GET    /healthz                                        anybody
        GET    /readyz                                         anybody
        """

    static func rows() throws -> [Row] {
        let lines = ([table] + FeatureTable.all.map(\.calls)).flatMap { $0.split(separator: "\n") }
        return try lines.dropFirst().map { line in
            let words = line.split(separator: " ").map(String.init)
            return Row(
                call: words.prefix(2).joined(separator: " "),
                access: try access(Array(words.dropFirst(2)), line))
        }
    }

    private static func access(_ marks: [String], _ line: Substring) throws -> Access {
        switch marks {
        case ["anybody"]: return .open
        case ["developers"]: return .developers
        case ["everybody"]:
            return .standings(Set(columns + [.rosterReader, .directoryWriter, .tool]))
        case ["rosterReaders"]: return .standings([.rosterReader])
        case ["directoryWriters"]: return .standings([.directoryWriter])
        case ["tools"]: return .standings([.tool])
        default:
            var marks = marks
            let isForReaders = marks.last == "rosterReaders"
            if isForReaders { marks.removeLast() }
            try #require(marks.count == columns.count, "\(line)")
            try #require(marks.allSatisfy { ["x", "."].contains($0) }, "\(line)")
            let marked = zip(columns, marks).filter { $0.1 == "x" }.map(\.0)
            return .standings(Set(marked + (isForReaders ? [.rosterReader] : [])))
        }
    }
}
