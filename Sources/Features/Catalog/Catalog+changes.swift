import API
import HTTPServer
import HTTPWire
import JSONBytes
import School
import Values

/// What changed since an app last looked, so that it can keep a copy of the contexts that it sees.
extension Catalog {
    /// One page of changes. Two queries at different moments may both name a path; the later one is right.
    func listChanges(_ request: Request, caller: Caller) async throws -> Response {
        for name in ["path", "children"] where request.query(name) != nil {
            throw Problem.invalidParameter(name, "descendants lists everything below the app.")
        }
        let page = try request.page()
        let languages = request.languages
        let now = database.clock.now
        let next = page.after(0).flatMap { ContextCursor(text: $0) }
        if !page.isFirst, next == nil { throw Problem.foreignPageToken }
        let known = request.query("updatedSince").flatMap { ContextCursor(text: $0) }
        // A copy starts over if its language changed, or if removals since its cursor are already forgotten.
        let usable = known.flatMap { $0.isUsable(for: languages, now: now) ? $0 : nil }
        let start = next ?? usable ?? ContextCursor(languages: languages, at: now)
        let rows = try await database.longQuery(
            .changes(
                after: start, in: caller.organizationID, languages: languages,
                limit: page.limitPlusOne),
            as: caller)
        var changes = try ContextChanges(
            rows, limit: page.limit, after: start, startsOver: next == nil && usable == nil)
        var following: Page.Next?
        if rows.count > page.limit {
            following = page.next(after: [changes.end.text], of: request)
        } else {
            changes.end.readAt = now.milliseconds
        }
        var response = Response.json(try changes.document(rows, next: following?.token))
        if let following { response.headers.append(following.link) }
        return response.varying(by: "Accept-Language")
    }
}
