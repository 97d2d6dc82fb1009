import JSONBytes

/// What the form of a tool holds.
struct ToolForm: Sendable {
    let name: String
    /// By the names of the API.
    private let addresses: [String: String]
    /// One in a line.
    private let redirects: String
    private let locationID: String
    private let shares: Set<String>
    /// Whether the tool's keys were registered themselves, which only the API can change.
    private let hasOwnKeys: Bool
    let tag: String

    private static let known: [(name: String, label: ToolsText, hint: ToolsText)] = [
        ("loginUrl", .login, .loginHint), ("launchUrl", .launch, .launchHint),
        ("deepLinkingUrl", .choosing, .choosingHint), ("keySetUrl", .keys, .keysHint),
    ]

    /// Of a tool that nobody has written anything about yet.
    init() {
        (name, addresses, redirects, locationID, shares) = ("", [:], "", "", [])
        (hasOwnKeys, tag) = (false, "")
    }

    init(_ tool: JSONValue, tag: String) {
        name = tool["name"]?.text ?? ""
        var addresses: [String: String] = [:]
        for item in Self.known { addresses[item.name] = tool[item.name]?.text }
        self.addresses = addresses
        redirects = (tool["redirectUris"]?.array ?? []).compactMap(\.text)
            .joined(separator: "\n")
        locationID = tool["locationId"]?.text ?? ""
        shares = Set(["sharesNames", "sharesEmails"].filter { tool[$0]?.bool == true })
        hasOwnKeys = tool["keySet"]?.text != nil
        self.tag = tag
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        name = String(form["name"].trimmed)
        var addresses: [String: String] = [:]
        for item in Self.known { addresses[item.name] = String(form[item.name].trimmed) }
        self.addresses = addresses
        redirects = form["redirectUris"]
        locationID = form["location"]
        shares = Set(form.all("share"))
        hasOwnKeys = form["keys"] == "own"
        tag = form["version"]
    }

    /// - Parameter isNew: whether what is empty is left out instead of reset.
    func body(isNew: Bool) -> JSONValue {
        let lines = redirects.split { $0.isWhitespace }.map { JSONValue.text(String($0)) }
        var members = JSONObject([
            ("name", .text(name)), ("redirectUris", .array(lines)),
            ("sharesNames", .bool(shares.contains("sharesNames"))),
            ("sharesEmails", .bool(shares.contains("sharesEmails"))),
        ])
        for item in Self.known where item.name != "keySetUrl" || !hasOwnKeys {
            let text = addresses[item.name] ?? ""
            let isOptional = ["deepLinkingUrl", "keySetUrl"].contains(item.name)
            if text.isEmpty, isOptional {
                if !isNew { members[item.name] = JSONValue.null }
            } else {
                members[item.name] = .text(text)
            }
        }
        if !locationID.isEmpty {
            members["locationId"] = .text(locationID)
        } else if !isNew {
            members["locationId"] = JSONValue.null
        }
        return .object(members)
    }

    /// - Parameter locations: those of the school.
    @HTMLBuilder
    func fields(
        _ locations: [JSONValue], _ problems: FormProblems, _ texts: Texts
    ) -> [HTML] {
        field(
            "name", label: texts(ToolsText.name), hint: texts(ToolsText.nameHint),
            problem: problems["name"], .type("text"), .value(name), .required)
        for item in Self.known where item.name != "keySetUrl" || !hasOwnKeys {
            field(
                item.name, label: texts(item.label), hint: texts(item.hint),
                problem: problems[item.name], .type("url"), .value(addresses[item.name]))
        }
        if hasOwnKeys { input(.type("hidden"), .name("keys"), .value("own")) }
        textField(
            "redirectUris", label: texts(ToolsText.redirects),
            hint: texts(ToolsText.redirectsHint), problem: problems["redirectUris"], redirects)
        Console.choice(
            "location", label: texts(ToolsText.location), Self.choices(locations, texts),
            chosen: locationID, problem: problems["location"])
        fieldset {
            legend { texts(ToolsText.shares) }
            share("sharesNames", .sharesNames, texts)
            share("sharesEmails", .sharesEmails, texts)
            p(.class("hint")) { texts(ToolsText.sharesHint) }
        }
    }

    private static func choices(
        _ locations: [JSONValue], _ texts: Texts
    ) -> [(value: String, text: String)] {
        var choices = [(value: "", text: texts(ToolsText.everywhere))]
        for location in locations {
            let name = texts(ToolsText.ofLocation, ["location": location["name"]?.text ?? ""])
            choices.append((value: location["id"]?.text ?? "", text: name))
        }
        return choices
    }

    private func share(_ name: String, _ key: ToolsText, _ texts: Texts) -> HTML {
        label(.class("choice")) {
            input(
                .type("checkbox"), .name("share"), .value(name), .checked(shares.contains(name)))
            span { texts(key) }
        }
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        for pointer in refusal.fields.keys.sorted() {
            let id = String(pointer.split(separator: "/").first ?? "")
            guard problems[id] == nil else { continue }
            switch id {
            case "name":
                problems.add(
                    id, texts(name.isEmpty ? ConsoleText.errorMissing : .errorTooLong))
            case "locationId": problems.add("location", texts(ToolsText.errorLocation))
            case "redirectUris": problems.add(id, texts(ToolsText.errorRedirects))
            default: problems.add(id, texts(ToolsText.errorAddress))
            }
        }
        guard !problems.isEmpty else { throw refusal }
        addPlainMistakes(to: &problems, texts)
        return problems
    }

    /// The API looks at addresses only when everything is there that it needs. What is plainly none is said at once, so
    /// that nobody sends the form again and again.
    private func addPlainMistakes(to problems: inout FormProblems, _ texts: Texts) {
        func isNone(_ text: some StringProtocol) -> Bool {
            !text.hasPrefix("https://") && !text.hasPrefix("http://")
        }
        for item in Self.known where item.name != "keySetUrl" || !hasOwnKeys {
            let text = addresses[item.name] ?? ""
            if item.name == "deepLinkingUrl", text.isEmpty { continue }
            if isNone(text), problems[item.name] == nil {
                problems.add(item.name, texts(ToolsText.errorAddress))
            }
        }
        let lines = redirects.split { $0.isWhitespace }
        if lines.isEmpty || lines.contains(where: { isNone($0) }), problems["redirectUris"] == nil {
            problems.add("redirectUris", texts(ToolsText.errorRedirects))
        }
    }
}
