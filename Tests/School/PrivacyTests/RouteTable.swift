import TestKit

/// What each call of the service has to do with progress, written independently of the program.
enum RouteTable {
    /// How a call is compared with the rules.
    enum Kind: String, CaseIterable {
        /// Changes something. If a plan makes the call, its answer is searched.
        case writes
        /// Shows no progress to anyone: every standing that may call it does, and finds no attempt in the answer.
        case plain
        /// Shows progress, and is compared with the oracle by the check of that name.
        case handouts, handout, report, attempts, returns, comments, points, items, classReport
        case studentReport
        case ownReport, ownHandout, ownAttempts, assignments, overview, news, personalData
        case classApps, appReport, appStudents, insights, teachingInsights

        /// Whether it shows a teacher the work of one class or student, and so leaves a viewing: not counts over
        /// several classes, and not what is one's own. One person's archive leaves an audit event.
        var leavesViewing: Bool {
            switch self {
            case .report, .attempts, .returns, .comments, .points, .items, .classReport,
                .studentReport,
                .classApps, .appReport, .appStudents, .insights:
                true
            case .writes, .plain, .handouts, .handout, .ownReport, .ownHandout, .ownAttempts,
                .assignments, .overview, .news, .personalData, .teachingInsights:
                false
            }
        }
    }

    struct Row {
        let method: String
        let path: String
        let kind: Kind
    }

    private static let table = """
        POST   /v1/sign-in                                     writes
        POST   /v1/sign-in/refresh                             writes
        POST   /v1/sign-out                                    writes
        GET    /v1/me                                          plain
        PUT    /v1/me/password                                 writes
        DELETE /v1/me/sign-in-changes                          writes
        POST   /v1/people/{id}/temporary-password              writes
        DELETE /v1/people/{id}/sign-in-lock                    writes
        POST   /v1/sign-in-sheets                              writes
        POST   /oauth/token                                    writes
        GET    /v1/service-accounts                            plain
        POST   /v1/service-accounts                            writes
        GET    /v1/service-accounts/{id}                       plain
        PATCH  /v1/service-accounts/{id}                       writes
        DELETE /v1/service-accounts/{id}                       writes
        POST   /v1/service-accounts/{id}/secret                writes
        GET    /v1/organization                                plain
        PATCH  /v1/organization                                writes
        GET    /v1/locations                                   plain
        POST   /v1/locations                                   writes
        GET    /v1/locations/{id}                              plain
        PUT    /v1/locations/{id}                              writes
        PATCH  /v1/locations/{id}                              writes
        DELETE /v1/locations/{id}                              writes
        GET    /v1/people                                      plain
        POST   /v1/people                                      writes
        GET    /v1/people/{id}                                 plain
        PUT    /v1/people/{id}                                 writes
        PATCH  /v1/people/{id}                                 writes
        DELETE /v1/people/{id}                                 writes
        PUT    /v1/people/{id}/deactivation                    writes
        POST   /v1/people/{id}/deactivation                    writes
        DELETE /v1/people/{id}/deactivation                    writes
        POST   /v1/people/{id}/reactivation                    writes
        GET    /v1/courses                                     plain
        POST   /v1/courses                                     writes
        GET    /v1/courses/{id}                                plain
        PUT    /v1/courses/{id}                                writes
        PATCH  /v1/courses/{id}                                writes
        DELETE /v1/courses/{id}                                writes
        GET    /v1/classes                                     plain
        GET    /v1/me/classes                                  plain
        POST   /v1/classes                                     writes
        GET    /v1/classes/{id}                                plain
        PUT    /v1/classes/{id}                                writes
        PATCH  /v1/classes/{id}                                writes
        DELETE /v1/classes/{id}                                writes
        GET    /v1/terms                                       plain
        POST   /v1/terms                                       writes
        GET    /v1/terms/{id}                                  plain
        PUT    /v1/terms/{id}                                  writes
        PATCH  /v1/terms/{id}                                  writes
        DELETE /v1/terms/{id}                                  writes
        PUT    /v1/terms/{id}/closing                          writes
        POST   /v1/terms/{id}/closing                          writes
        DELETE /v1/terms/{id}/closing                          writes
        POST   /v1/terms/{id}/rollover/preview                 writes
        POST   /v1/terms/{id}/rollover                         writes
        GET    /v1/classes/{id}/teachers                       plain
        PUT    /v1/classes/{id}/teachers                       writes
        PUT    /v1/classes/{id}/teachers/{personId}            writes
        DELETE /v1/classes/{id}/teachers/{personId}            writes
        GET    /v1/classes/{id}/students                       plain
        PUT    /v1/classes/{id}/students                       writes
        PUT    /v1/classes/{id}/students/{personId}            writes
        DELETE /v1/classes/{id}/students/{personId}            writes
        GET    /v1/classes/{id}/seats                          plain
        POST   /v1/locations/batch                             writes
        POST   /v1/people/batch                                writes
        POST   /v1/courses/batch                               writes
        POST   /v1/classes/batch                               writes
        POST   /v1/rosters/batch                               writes
        PUT    /v1/people/{id}/progress-pause                  writes
        POST   /v1/people/{id}/progress-pause                  writes
        DELETE /v1/people/{id}/progress-pause                  writes
        POST   /v1/imports                                     writes
        GET    /v1/imports                                     plain
        GET    /v1/imports/{id}                                plain
        GET    /v1/imports/{id}/changes                        plain
        GET    /v1/imports/{id}/findings                       plain
        GET    /v1/imports/{id}/people                         plain
        POST   /v1/imports/{id}/undo                           writes
        GET    /v1/import-templates                            plain
        POST   /v1/imports/{id}/approval                       writes
        GET    /v1/apps                                        plain
        POST   /v1/apps                                        writes
        GET    /v1/apps/{adamId}                               plain
        PUT    /v1/apps/{adamId}                               writes
        PATCH  /v1/apps/{adamId}                               writes
        DELETE /v1/apps/{adamId}                               writes
        GET    /v1/apps/{adamId}/pools                         plain
        GET    /v1/apps/{adamId}/pools/{locationId}            plain
        PUT    /v1/apps/{adamId}/pools/{locationId}            writes
        DELETE /v1/apps/{adamId}/pools/{locationId}            writes
        POST   /v1/apps/{adamId}/pools/{locationId}/transfer   writes
        GET    /v1/apps/{adamId}/licences                      plain
        POST   /v1/apps/{adamId}/licences                      writes
        GET    /v1/apps/{adamId}/licences/{licenceId}          plain
        DELETE /v1/apps/{adamId}/licences/{licenceId}          writes
        POST   /v1/apps/{adamId}/return                        writes
        GET    /v1/me/licences                                 plain
        GET    /v1/developer-teams                             plain
        POST   /v1/developer-teams                             writes
        GET    /v1/developer-teams/{teamId}                    plain
        PUT    /v1/developer-teams/{teamId}                    writes
        DELETE /v1/developer-teams/{teamId}                    writes
        POST   /v1/contexts                                    writes
        GET    /v1/contexts                                    plain
        DELETE /v1/contexts                                    writes
        POST   /v1/thumbnails                                  writes
        GET    /v1/thumbnails                                  plain
        DELETE /v1/thumbnails                                  writes
        GET    /v1/status/{statusId}                           plain
        GET    /v1/development                                 plain
        PUT    /v1/development                                 writes
        DELETE /v1/development                                 writes
        POST   /v1/development/reset                           writes
        POST   /v1/development/tokens                          writes
        GET    /v1/developer/organizations                     plain
        GET    /v1/developer/organizations/{organizationId}/development plain
        PUT    /v1/developer/organizations/{organizationId}/development writes
        DELETE /v1/developer/organizations/{organizationId}/development writes
        POST   /v1/developer/organizations/{organizationId}/development/reset writes
        POST   /v1/developer/organizations/{organizationId}/development/tokens writes
        GET    /v1/catalog/apps                                plain
        GET    /v1/catalog/apps/{bundleId}/contexts            plain
        GET    /v1/catalog/search                              plain
        GET    /v1/catalog/contexts/{id}/thumbnail             plain
        POST   /v1/me/contexts                                 writes
        GET    /v1/me/contexts                                 plain
        DELETE /v1/me/contexts                                 writes
        PUT    /v1/me/contexts/thumbnail                       writes
        GET    /v1/me/contexts/thumbnail                       plain
        DELETE /v1/me/contexts/thumbnail                       writes
        GET    /v1/handouts                                    handouts
        POST   /v1/handouts                                    writes
        GET    /v1/handouts/{id}                               handout
        PUT    /v1/handouts/{id}                               writes
        PATCH  /v1/handouts/{id}                               writes
        DELETE /v1/handouts/{id}                               writes
        POST   /v1/handouts/{id}/copy                          writes
        PUT    /v1/handouts/{id}/archive                       writes
        DELETE /v1/handouts/{id}/archive                       writes
        PUT    /v1/handouts/{id}/students/{personId}           writes
        GET    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/return returns
        PUT    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/return writes
        DELETE /v1/handouts/{id}/students/{personId}/tasks/{taskId}/return writes
        GET    /v1/handouts/{id}/students/{personId}/comments  comments
        GET    /v1/handouts/{id}/marks                         points
        GET    /v1/handouts/{id}/students/{personId}/marks     points
        GET    /v1/handouts/{id}/students/{personId}/mark      points
        GET    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/mark points
        PUT    /v1/handouts/{id}/publication                   writes
        POST   /v1/handouts/{id}/publication                   writes
        DELETE /v1/handouts/{id}/publication                   writes
        PUT    /v1/handouts/{id}/completion                    writes
        POST   /v1/handouts/{id}/completion                    writes
        PUT    /v1/handouts/{id}/lock                          writes
        DELETE /v1/handouts/{id}/lock                          writes
        GET    /v1/me/assignments                              assignments
        GET    /v1/me/handouts/{id}                            ownHandout
        GET    /v1/me/handouts/{id}/attempts                   ownAttempts
        GET    /v1/me/overview                                 overview
        GET    /v1/me/news                                     news
        GET    /v1/me/news/seen                                plain
        PUT    /v1/me/news/seen                                writes
        PUT    /v1/assignments/{id}/opened                     writes
        DELETE /v1/assignments/{id}/opened                     writes
        PUT    /v1/assignments/{id}/done                       writes
        DELETE /v1/assignments/{id}/done                       writes
        POST   /v1/activities                                  writes
        POST   /v1/me/completions                              writes
        GET    /v1/handouts/{id}/report                        report
        GET    /v1/handouts/{id}/report/events                 report
        GET    /v1/handouts/{id}/students/{personId}           attempts
        GET    /v1/handouts/{id}/tasks/{taskId}/items          items
        GET    /v1/classes/{id}/report                         classReport
        GET    /v1/classes/{id}/apps                           classApps
        GET    /v1/classes/{id}/apps/{bundleId}/report         appReport
        GET    /v1/classes/{id}/apps/{bundleId}/students       appStudents
        GET    /v1/classes/{id}/insights                       insights
        GET    /v1/me/insights                                 teachingInsights
        GET    /v1/classes/{id}/students/{personId}/report     studentReport
        GET    /v1/me/report                                   ownReport
        POST   /v1/exports                                     writes
        GET    /v1/exports                                     plain
        GET    /v1/exports/{id}                                plain
        GET    /v1/exports/{id}/files/{name}                   plain
        GET    /v1/audit-events                                plain
        POST   /v1/people/{id}/data-export                     personalData
        POST   /v1/people/{id}/erasure                         writes
        GET    /v1/checks                                      plain
        GET    /openapi.json                                   plain
        GET    /docs                                           plain
        GET    /docs/{name}                                    plain
        GET    /healthz                                        plain
        GET    /readyz                                         plain
        """

    static let rows: [Row] =
        table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let kind = Kind(rawValue: words[2]) else { return nil }
            return Row(method: words[0], path: words[1], kind: kind)
        }
        + FeatureTable.all.flatMap(\.calledPaths).map { method, path in
            Row(method: method, path: path, kind: method == "GET" ? .plain : .writes)
        }

    /// Lines that cannot be understood.
    static let brokenLines: [String] = table.split(separator: "\n").map(String.init).filter {
        let words = $0.split(separator: " ").map(String.init)
        return words.count != 3 || Kind(rawValue: words[2]) == nil
    }
}
