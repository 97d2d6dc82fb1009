import JSONBytes
import Values

enum GrantText: String, TextKey {
    case title, intro, none, list, everything, atLocation, laterToo, reads, readsNot, since
    case end, endOf, endTitle, endDoes
    case add, find, findHint, nothing, more, wholeLocation
    case scope, granted, results, resultsHint, grant
    case errorTitle, errorMissing, errorTwice, errorGone, errorTooMany
    case noticeGranted, noticeEnded

    static let section = "grant"
}

/// `/services/{id}/gradebook`: grants a system the gradebook of classes, and takes grants back.
enum GradebookGrants: Screen {
    static var pages: [Page] {
        [
            .post("/services/{id}/gradebook", for: .administrator, grant),
            .get("/services/{id}/gradebook/end", for: .administrator, question),
            .post("/services/{id}/gradebook/end", for: .administrator, end),
        ]
    }

    // MARK: Granting

    private static func grant(_ sent: Form, _ visit: Visit) async throws -> Answer {
        var form = GrantForm(sent)
        guard !form.scopes.isEmpty else {
            form.problems.add("scope", visit.texts(GrantText.errorMissing))
            return try await refused(form, 422, visit)
        }
        let new = form.scopes.map { GradebookGrant(scope: $0, readsResults: form.readsResults) }
        do {
            try await GradebookGrant.set(try await GradebookGrant.all(visit) + new, visit)
        } catch let refusal as Refusal where refusal.status == 422 {
            form.problems.add("scope", visit.texts(try reason(refusal)))
            return try await refused(form, refusal.status, visit)
        }
        return .redirect("/services/\(visit["id"])", notice: Notice(GrantText.noticeGranted))
    }

    private static func reason(_ refusal: Refusal) throws -> GrantText {
        if refusal.code == "grant_made_twice" { return .errorTwice }
        if refusal.fields["/items"] != nil { return .errorTooMany }
        guard refusal.fields.keys.contains(where: { $0.hasPrefix("/items/") }) else {
            throw refusal
        }
        return .errorGone
    }

    private static func refused(
        _ form: GrantForm, _ status: Int, _ visit: Visit
    ) async throws -> Answer {
        let account = try await ServiceAccount.load(visit)
        return .view(
            try await ServiceAccountPage.page(account, visit, granting: form).refused(status))
    }

    // MARK: Taking back

    private static func question(_ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let back: LocalPath = "/services/\(visit["id"])"
        let account = try await ServiceAccount.load(visit)
        guard let scope = visit.query("scope").flatMap({ GradebookGrant.Scope($0) }),
            let target = try await GradebookTarget.load(
                scope, try await Locations.load(visit.api), visit)
        else { return .redirect(back) }
        return .view(
            Console.confirmation(
                visit, title: texts(GrantText.endTitle),
                does: texts(GrantText.endDoes, ["system": account.name]),
                button: texts(GrantText.end), to: "/services/\(visit["id"])/gradebook/end",
                back: back,
                more: parts {
                    div {
                        p(.class("strong")) { target.title(texts) }
                        p(.class("small soft")) { target.below(texts) }
                    }
                    input(.type("hidden"), .name("scope"), .value(scope.value))
                }))
    }

    private static func end(_ form: Form, _ visit: Visit) async throws -> Answer {
        let grants = try await GradebookGrant.all(visit)
        let kept = grants.filter { $0.scope.value != form["scope"] }
        // Another administrator may have taken it back meanwhile.
        if kept.count < grants.count { try await GradebookGrant.set(kept, visit) }
        return .redirect("/services/\(visit["id"])", notice: Notice(GrantText.noticeEnded))
    }
}

/// What is searched for and chosen to be granted.
struct GrantForm: Sendable {
    /// Of the name of a class.
    let words: String
    /// The id of the location at which classes are searched; empty for all.
    let place: String
    let scopes: [GradebookGrant.Scope]
    let readsResults: Bool
    var problems = FormProblems.none

    var isSearch: Bool { !words.isEmpty || !place.isEmpty }

    /// Of the address, in which only a search stands.
    init(_ visit: Visit) {
        words = String((visit.query("q") ?? "").trimmed)
        place = visit.query("location") ?? ""
        (scopes, readsResults) = ([], false)
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        words = String(form["q"].trimmed)
        place = form["location"]
        scopes = form.all("scope").compactMap { GradebookGrant.Scope($0) }
        readsResults = form.has("readsResults")
    }
}
