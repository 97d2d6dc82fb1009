import JSONBytes

/// What the form of a connected system holds.
struct SystemForm: Sendable {
    let name: String
    /// One in a line.
    private let addresses: String
    let scopes: [String]
    let tag: String

    private static let known = ["profile", "roles", "classes"]

    /// Of a system that nobody has written anything about yet.
    init() {
        (name, addresses, scopes, tag) = ("", "", ["profile"], "")
    }

    init(_ system: JSONValue, tag: String) {
        name = system["name"]?.text ?? ""
        addresses = (system["redirectUris"]?.array ?? []).compactMap(\.text)
            .joined(separator: "\n")
        scopes = (system["scopes"]?.array ?? []).compactMap(\.text)
        self.tag = tag
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        name = String(form["name"].trimmed)
        addresses = form["addresses"]
        scopes = Self.known.filter(form.all("scope").contains)
        tag = form["version"]
    }

    var body: JSONValue {
        let lines = addresses.split { $0.isWhitespace }.map { JSONValue.text(String($0)) }
        return [
            "name": .text(name), "redirectUris": .array(lines),
            "scopes": .array(scopes.map { .text($0) }),
        ]
    }

    static func word(_ scope: String) -> SystemsText {
        switch scope {
        case "profile": .scopeProfile
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
        }
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        for pointer in refusal.fields.keys.sorted() {
            let isName = pointer == "/name"
            let id = isName ? "name" : "addresses"
            guard problems[id] == nil else { continue }
            let missing = texts(ConsoleText.errorMissing)
            let tooLong = texts(ConsoleText.errorTooLong)
            problems.add(
                id,
                isName ? (name.isEmpty ? missing : tooLong) : texts(SystemsText.errorAddresses))
        }
        guard !problems.isEmpty else { throw refusal }
        return problems
    }
}
