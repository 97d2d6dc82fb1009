import JSONBytes

/// What the form of a connected system holds.
struct SystemForm: Sendable {
    let name: String
    /// One in a line.
    private let addresses: String
    /// Where browsers may go after signing out, one in a line.
    private let afterwards: String
    let scopes: [String]
    private let algorithm: String
    private let requiresPKCE: Bool
    let tag: String

    private static let known = ["profile", "email", "roles", "classes"]
    private static let algorithms: [(value: String, text: SystemsText)] = [
        ("RS256", .algorithmRS256), ("ES256", .algorithmES256),
    ]

    /// Of a system that nobody has written anything about yet.
    init() {
        (name, addresses, afterwards, scopes, tag) = ("", "", "", ["profile"], "")
        (algorithm, requiresPKCE) = ("RS256", true)
    }

    init(_ system: JSONValue, tag: String) {
        name = system["name"]?.text ?? ""
        addresses = Self.lines(system, "redirectUris")
        afterwards = Self.lines(system, "postLogoutRedirectUris")
        scopes = (system["scopes"]?.array ?? []).compactMap(\.text)
        algorithm = system["idTokenSignedResponseAlg"]?.text ?? ""
        requiresPKCE = system["requiresPkce"]?.bool ?? true
        self.tag = tag
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        name = String(form["name"].trimmed)
        addresses = form["addresses"]
        afterwards = form["afterwards"]
        scopes = Self.known.filter(form.all("scope").contains)
        algorithm = form["algorithm"]
        requiresPKCE = form["pkce"] == "yes"
        tag = form["version"]
    }

    var body: JSONValue {
        func list(_ lines: String) -> JSONValue {
            .array(lines.split { $0.isWhitespace }.map { JSONValue.text(String($0)) })
        }
        return [
            "name": .text(name), "redirectUris": list(addresses),
            "postLogoutRedirectUris": list(afterwards),
            "scopes": .array(scopes.map { .text($0) }),
            "idTokenSignedResponseAlg": .text(algorithm), "requiresPkce": .bool(requiresPKCE),
        ]
    }

    private static func lines(_ system: JSONValue, _ name: String) -> String {
        (system[name]?.array ?? []).compactMap(\.text).joined(separator: "\n")
    }

    static func word(_ scope: String) -> SystemsText {
        switch scope {
        case "profile": .scopeProfile
        case "email": .scopeEmail
        case "roles": .scopeRoles
        default: .scopeClasses
        }
    }

    @HTMLBuilder
    func fields(_ problems: FormProblems, _ texts: Texts) -> [HTML] {
        field(
            "name", label: texts(SystemsText.name), hint: texts(SystemsText.nameHint),
            problem: problems["name"], .type("text"), .value(name), .required)
        textField(
            "addresses", label: texts(SystemsText.addresses),
            hint: texts(SystemsText.addressesHint), problem: problems["addresses"], addresses)
        textField(
            "afterwards", label: texts(SystemsText.afterwards),
            hint: texts(SystemsText.afterwardsHint), problem: problems["afterwards"], afterwards)
        fieldset {
            legend { texts(SystemsText.scopes) }
            for scope in Self.known {
                label(.class("choice")) {
                    input(
                        .type("checkbox"), .name("scope"), .value(scope),
                        .checked(scopes.contains(scope)))
                    span { texts(Self.word(scope)) }
                }
            }
            p(.class("hint")) { texts(SystemsText.scopeEmailHint) }
        }
        Console.choice(
            "algorithm", label: texts(SystemsText.algorithm),
            Self.algorithms.map { (value: $0.value, text: texts($0.text)) }, chosen: algorithm,
            problem: problems["algorithm"])
        fieldset {
            legend { texts(SystemsText.pkce) }
            label(.class("choice")) {
                input(
                    .type("checkbox"), .name("pkce"), .value("yes"), .checked(requiresPKCE))
                span { texts(SystemsText.pkceDemanded) }
            }
            p(.class("hint")) { texts(SystemsText.pkceHint) }
        }
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        for pointer in refusal.fields.keys.sorted() {
            switch pointer.split(separator: "/").first ?? "" {
            case "name" where problems["name"] == nil:
                problems.add(
                    "name", texts(name.isEmpty ? ConsoleText.errorMissing : .errorTooLong))
            case "redirectUris" where problems["addresses"] == nil:
                problems.add("addresses", texts(SystemsText.errorAddresses))
            case "postLogoutRedirectUris" where problems["afterwards"] == nil:
                problems.add("afterwards", texts(SystemsText.errorAfterwards))
            case "idTokenSignedResponseAlg":
                problems.add("algorithm", texts(ConsoleText.errorMissing))
            default: break
            }
        }
        guard !problems.isEmpty else { throw refusal }
        return problems
    }
}
