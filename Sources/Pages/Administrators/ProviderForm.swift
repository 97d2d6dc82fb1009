import JSONBytes

/// What the form of a sign-in provider holds.
struct ProviderForm: Sendable {
    /// The kinds of the API, in the order of the page.
    static let kinds = ["google", "microsoft", "other"]
    private static let names = [
        "name", "issuer", "tenant", "clientId", "clientSecret", "matching", "emailDomains",
    ]

    let kind: String
    private let values: [String: String]
    let tag: String

    /// A provider that is not connected yet.
    init(kind: String?) {
        self.kind = kind.flatMap { Self.kinds.contains($0) ? $0 : nil } ?? "other"
        let name = ["google": "Google", "microsoft": "Microsoft"][self.kind]
        values = ["name": name ?? "", "matching": "managedId"]
        tag = ""
    }

    init(_ provider: JSONValue, tag: String) {
        kind = provider["kind"]?.text ?? "other"
        let domains = (provider["emailDomains"]?.array ?? []).compactMap(\.text)
        var values = ["emailDomains": domains.joined(separator: " ")]
        for name in ["name", "issuer", "tenant", "clientId", "matching"] {
            values[name] = provider[name]?.text ?? ""
        }
        self.values = values
        self.tag = tag
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        let kind = form["kind"]
        self.kind = Self.kinds.contains(kind) ? kind : "other"
        values = Dictionary(
            Self.names.map { ($0, String(form[$0].trimmed)) },
            uniquingKeysWith: { first, _ in first })
        tag = form["version"]
    }

    subscript(name: String) -> String { values[name] ?? "" }

    /// For a new provider, or for one that keeps its kind, and its secret unless another one was typed.
    func body(isNew: Bool) -> JSONValue {
        let domains = self["emailDomains"].split { $0 == " " || $0 == "," }
        var body = JSONObject([
            ("name", .text(self["name"])), ("clientId", .text(self["clientId"])),
            ("matching", .text(self["matching"])),
            ("emailDomains", .array(domains.map { .text(String($0)) })),
        ])
        if isNew { body["kind"] = .text(kind) }
        if isNew || !self["clientSecret"].isEmpty {
            body["clientSecret"] = .text(self["clientSecret"])
        }
        if kind == "other" { body["issuer"] = .text(self["issuer"]) }
        if kind == "microsoft" { body["tenant"] = .text(self["tenant"]) }
        return .object(body)
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        for pointer in refusal.fields.keys.sorted() {
            let id = pointer.split(separator: "/").first.map(String.init) ?? ""
            guard Self.names.contains(id), problems[id] == nil else { continue }
            problems.add(id, words(id, texts))
        }
        guard !problems.isEmpty else { throw refusal }
        return problems
    }

    private func words(_ id: String, _ texts: Texts) -> String {
        if self[id].isEmpty { return texts(ConsoleText.errorMissing) }
        switch id {
        case "issuer": return texts(ProvidersText.errorIssuer)
        case "tenant": return texts(ProvidersText.errorTenant)
        case "emailDomains": return texts(ProvidersText.errorDomains)
        default: return texts(ConsoleText.errorWrong)
        }
    }
}
