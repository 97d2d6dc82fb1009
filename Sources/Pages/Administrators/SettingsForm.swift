import JSONBytes

/// What the form of the organization holds.
struct SettingsForm: Sendable {
    private let values: [String: String]
    let reclaimsLicences: Bool
    let isProgressOn: Bool
    let allowsPasswordsInApps: Bool
    let isWithoutPasswords: Bool
    let tag: String

    init(_ school: JSONValue, tag: String) {
        let sizes = school["classSizeLimits"]
        values = [
            "name": school["name"]?.text ?? "",
            "domains": (school["domains"]?.array ?? []).compactMap(\.text).joined(separator: " "),
            "managedIdFormat": school["managedIdFormat"]?.text ?? "",
            "timeZone": school["timeZone"]?.text ?? "",
            "students": sizes?["students"]?.int64.map { "\($0)" } ?? "",
            "teachers": sizes?["teachers"]?.int64.map { "\($0)" } ?? "",
            "nameOrder": school["nameOrder"]?.text ?? "givenFirst",
            "ownDeviceIdleHours": school["ownDeviceIdleHours"]?.int64.map { "\($0)" } ?? "",
            "sharedDeviceIdleMinutes":
                school["sharedDeviceIdleMinutes"]?.int64.map { "\($0)" } ?? "",
            "importLeftOutPercent":
                school["importLeftOutPercent"]?.int64.map { "\($0)" } ?? "",
        ]
        reclaimsLicences = school["reclaimLicences"]?.bool == true
        isProgressOn = school["studentProgress"]?["enabled"]?.bool == true
        allowsPasswordsInApps = school["allowsPasswordsInApps"]?.bool == true
        isWithoutPasswords = school["withoutPasswords"]?.bool == true
        self.tag = tag
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        let names = [
            "name", "domains", "managedIdFormat", "timeZone", "students", "teachers", "nameOrder",
            "ownDeviceIdleHours", "sharedDeviceIdleMinutes", "importLeftOutPercent",
        ]
        values = Dictionary(
            names.map { ($0, String(form[$0].trimmed)) }, uniquingKeysWith: { first, _ in first })
        reclaimsLicences = form.has("reclaim")
        isProgressOn = form["progress"] == "on"
        allowsPasswordsInApps = form.has("appPasswords")
        isWithoutPasswords = form.has("withoutPasswords")
        tag = form["version"]
    }

    subscript(name: String) -> String { values[name] ?? "" }

    private var domains: [String] {
        self["domains"].split { $0 == " " || $0 == "," }.map(String.init)
    }

    var body: JSONValue {
        func number(_ name: String) -> JSONValue {
            Int64(self[name]).map { JSONValue(integerLiteral: $0) } ?? .text(self[name])
        }
        return [
            "name": .text(self["name"]), "domains": .array(domains.map { .text($0) }),
            "managedIdFormat": .text(self["managedIdFormat"]),
            "timeZone": .text(self["timeZone"]),
            "classSizeLimits": ["students": number("students"), "teachers": number("teachers")],
            "reclaimLicences": .bool(reclaimsLicences), "nameOrder": .text(self["nameOrder"]),
            "allowsPasswordsInApps": .bool(allowsPasswordsInApps),
            "withoutPasswords": .bool(isWithoutPasswords),
            "ownDeviceIdleHours": number("ownDeviceIdleHours"),
            "sharedDeviceIdleMinutes": number("sharedDeviceIdleMinutes"),
            "importLeftOutPercent": number("importLeftOutPercent"),
        ]
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        for (pointer, code) in refusal.fields.sorted(by: { $0.key < $1.key }) {
            let parts = pointer.split(separator: "/").map(String.init)
            let id = (parts.first == "classSizeLimits" ? parts.last : parts.first) ?? "name"
            if problems[id] == nil { problems.add(id, words(id, code, texts)) }
        }
        guard !problems.isEmpty else { throw refusal }
        return problems
    }

    private func words(_ id: String, _ code: String, _ texts: Texts) -> String {
        if code == "no_sign_in_provider" { return texts(SettingsText.errorNoProvider) }
        if self[id].isEmpty { return texts(ConsoleText.errorMissing) }
        switch code {
        case "domain_taken": return texts(SettingsText.errorDomainTaken)
        case "domain_in_use": return texts(SettingsText.errorDomainInUse)
        case "too_long": return texts(ConsoleText.errorTooLong)
        default:
            switch id {
            case "students", "teachers": return texts(SettingsText.errorNumber)
            case "ownDeviceIdleHours": return texts(SettingsText.errorHours)
            case "sharedDeviceIdleMinutes": return texts(SettingsText.errorMinutes)
            case "importLeftOutPercent": return texts(SettingsText.errorPercent)
            default: return texts(ConsoleText.errorWrong)
            }
        }
    }
}
