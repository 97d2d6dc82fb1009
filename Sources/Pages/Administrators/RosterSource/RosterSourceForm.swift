import JSONBytes

/// What the form of a roster source holds.
struct RosterSourceForm: Sendable {
    private let url: String
    private let tokenURL: String
    private let clientID: String
    /// What was typed; what is kept is never shown.
    private let secret: String
    private let pullTime: String
    private let isEnabled: Bool

    /// Of a source that nobody has written anything about yet.
    init() {
        (url, tokenURL, clientID, secret) = ("", "", "", "")
        (pullTime, isEnabled) = ("02:30", true)
    }

    init(_ source: JSONValue) {
        url = source["url"]?.text ?? ""
        tokenURL = source["tokenUrl"]?.text ?? ""
        clientID = source["clientId"]?.text ?? ""
        secret = ""
        pullTime = source["pullTime"]?.text ?? ""
        isEnabled = source["enabled"]?.bool == true
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        url = String(form["url"].trimmed)
        tokenURL = String(form["tokenUrl"].trimmed)
        clientID = String(form["clientId"].trimmed)
        secret = form["clientSecret"]
        pullTime = String(form["pullTime"].trimmed)
        isEnabled = form["enabled"] == "yes"
    }

    /// What was left empty is left out, so that the API says what it needs.
    var body: JSONValue {
        var body = JSONObject([
            ("url", .text(url)), ("clientId", .text(clientID)), ("enabled", .bool(isEnabled)),
        ])
        if !tokenURL.isEmpty { body["tokenUrl"] = .text(tokenURL) }
        if !secret.isEmpty { body["clientSecret"] = .text(secret) }
        if !pullTime.isEmpty { body["pullTime"] = .text(pullTime) }
        return .object(body)
    }

    /// - Parameter isKept: whether there is a secret already.
    @HTMLBuilder
    func fields(isKept: Bool, _ problems: FormProblems, _ texts: Texts) -> [HTML] {
        field(
            "url", label: texts(RosterSourceText.url), hint: texts(RosterSourceText.urlHint),
            problem: problems["url"], .type("url"), .value(url), .required)
        field(
            "tokenUrl", label: texts(RosterSourceText.tokenURL),
            hint: texts(RosterSourceText.tokenURLHint), problem: problems["tokenUrl"],
            .type("url"), .value(tokenURL))
        field(
            "clientId", label: texts(RosterSourceText.clientID), problem: problems["clientId"],
            .type("text"), .value(clientID), .required)
        field(
            "clientSecret", label: texts(RosterSourceText.secret),
            hint: texts(isKept ? RosterSourceText.secretKept : .secretHint),
            problem: problems["clientSecret"], .type("password"), .autocomplete("off"))
        field(
            "pullTime", label: texts(RosterSourceText.pullTime),
            hint: texts(RosterSourceText.pullTimeHint), problem: problems["pullTime"],
            .type("time"), .value(pullTime), .required)
        label(.class("choice")) {
            input(.type("checkbox"), .name("enabled"), .value("yes"), .checked(isEnabled))
            span { texts(RosterSourceText.enabled) }
        }
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        for pointer in refusal.fields.keys.sorted() {
            let id = String(pointer.split(separator: "/").first ?? "")
            guard problems[id] == nil else { continue }
            switch id {
            case "url": problems.add(id, texts(RosterSourceText.errorURL))
            case "tokenUrl": problems.add(id, texts(RosterSourceText.errorTokenURL))
            case "clientId": problems.add(id, texts(ConsoleText.errorMissing))
            case "clientSecret": problems.add(id, texts(RosterSourceText.errorSecret))
            case "pullTime": problems.add(id, texts(RosterSourceText.errorTime))
            default: continue
            }
        }
        guard !problems.isEmpty else { throw refusal }
        // The API looks at the address only when everything is there that it needs.
        let isOneRoster = ["/v1p1", "/v1p2", "/v1p1/", "/v1p2/"].contains { url.hasSuffix($0) }
        if problems["url"] == nil, !isOneRoster {
            problems.add("url", texts(RosterSourceText.errorURL))
        }
        return problems
    }
}
