import JSONBytes
import School

/// A context as a developer publishes it, checked beyond its shape.
struct NewContext: Sendable {
    let bundleID: String
    /// Below the app; empty for the app itself.
    let path: [String]
    /// In lower case, with hyphens.
    let locale: String
    /// What the database reads, all values of the right type; what is null is left out.
    let document: JSONValue

    /// How the path was sent, with the bundle id.
    var fullPath: [String] { [bundleID] + path }

    init(_ context: Fields, at pointer: String) throws {
        guard let data = context.fields("data"), let metadata = context.fields("metadata"),
            let full = data.texts("identifierPath"), let bundleID = full.first
        else { throw CatalogError.invalidBody("\(pointer): data and metadata are needed.") }
        try NewContext.check(full, data, at: "\(pointer)/data")
        self.bundleID = bundleID
        path = Array(full.dropFirst())
        locale = NewContext.normal(locale: metadata.text("locale") ?? "")
        var members = NewContext.data(data, at: "\(pointer)/data")
        members += try NewContext.figures(data, at: "\(pointer)/data")
        members += try NewContext.metadata(metadata, of: bundleID, at: "\(pointer)/metadata")
        members.append(("bundle_id", .text(bundleID)))
        members.append(("identifier_path", .array(path.map(JSONValue.text))))
        guard NewContext.isLocale(locale) else {
            throw CatalogError.invalidBody("\(pointer)/metadata/locale: Such as en-us.")
        }
        members.append(("locale", .text(locale)))
        document = .object(JSONObject(members.filter { !$0.1.isNull }))
    }

    /// `en_US` as `en-us`.
    static func normal(locale: String) -> String {
        let small = locale.lowercased()
        return small.utf8.contains(UInt8(ascii: "_")) ? small.replacing("_", with: "-") : small
    }

    /// Letters first, then letters and digits, between hyphens; 35 characters at most, as the shape says.
    private static func isLocale(_ locale: String) -> Bool {
        let parts = locale.split(separator: "-", omittingEmptySubsequences: false)
        let areWords = parts.allSatisfy { part in
            (1...8).contains(part.count)
                && part.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
        }
        return areWords && parts[0].count > 1 && parts[0].utf8.allSatisfy { $0 >= 97 }
    }

    /// Length over the whole path, and what the root must be.
    private static func check(_ path: [String], _ data: Fields, at pointer: String) throws {
        try checkLength(of: path, at: "\(pointer)/identifierPath")
        guard (path.count == 1) == (data.text("type") == "app") else {
            throw CatalogError.invalidBody(
                "\(pointer)/type: The main app context, and no other, has the type app.")
        }
    }

    private static func checkLength(of path: [String], at pointer: String) throws {
        guard path.reduce(0, { $0 + $1.unicodeScalars.count }) <= 256 else {
            throw CatalogError.invalidBody(
                "\(pointer): A path has at most 256 characters in total.")
        }
    }

    private static func data(_ data: Fields, at pointer: String) -> [(String, JSONValue)] {
        let isCustom = data.text("type") == "custom"
        let capabilities = ReportingCapabilities.complete(
            data.objects("progressReportingCapabilities") ?? [])
        return [
            ("title", data["title"] ?? nil), ("type", data["type"] ?? nil),
            ("custom_type_name", isCustom ? data["customTypeName"] ?? nil : nil),
            ("is_assignable", data["isAssignable"] ?? true),
            ("progress_reporting_capabilities", .array(capabilities)),
            ("summary", data["summary"] ?? nil), ("thumbnail_id", data["thumbnailId"] ?? nil),
            ("topic", data["topic"] ?? nil),
            ("universal_link_url", data["universalLinkURL"] ?? nil),
        ]
    }

    private static func figures(
        _ data: Fields, at pointer: String
    ) throws -> [(String, JSONValue)] {
        let order = try number(data["displayOrder"] ?? 0, at: "\(pointer)/displayOrder")
        return [
            ("display_order", JSONValue(floatLiteral: order)),
            ("suggested_age", try range(data.list("suggestedAge"), at: "\(pointer)/suggestedAge")),
            (
                "suggested_completion_time",
                try range(
                    data.list("suggestedCompletionTime"), at: "\(pointer)/suggestedCompletionTime")
            ),
        ]
    }

    private static func metadata(
        _ metadata: Fields, of bundleID: String, at pointer: String
    ) throws -> [(String, JSONValue)] {
        let locales = (metadata.texts("presentableLocales") ?? []).map { normal(locale: $0) }
        guard locales.allSatisfy(isLocale), locales == ["mul"] || !locales.contains("mul") else {
            throw CatalogError.invalidBody(
                "\(pointer)/presentableLocales: Locales such as en-us, or mul alone for all of them."
            )
        }
        for path in (metadata.objects("presentablePaths") ?? []).compactMap({ $0.texts("path") }) {
            try checkLength(of: path, at: "\(pointer)/presentablePaths")
            guard path[0] == bundleID else {
                throw CatalogError.invalidBody(
                    "\(pointer)/presentablePaths: A context is shown inside its own app.")
            }
        }
        let version = metadata.text("minimumBundleVersion")
        let numbers = version?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else {
            throw CatalogError.invalidBody(
                "\(pointer)/minimumBundleVersion: Numbers between dots, such as 10.5.12.")
        }
        return [
            ("minimum_bundle_version", metadata["minimumBundleVersion"] ?? nil),
            ("keywords", metadata["keywords"] ?? []),
            ("presentable_locales", .array(locales.map(JSONValue.text))),
            ("presentable_paths", metadata["presentablePaths"] ?? nil),
            ("standards_alignments", metadata["standardsAlignments"] ?? []),
        ]
    }

    /// A number, or text that is one as JSON writes it.
    private static func number(_ value: JSONValue, at pointer: String) throws -> Double {
        let spelled = value.text.flatMap { text in
            (try? JSONValue(parsing: text))?.number.flatMap { $0.text == text ? $0 : nil }
        }
        guard let number = (value.number ?? spelled)?.double, number.magnitude <= 9.3e18 else {
            throw CatalogError.invalidBody("\(pointer): This should be a number.")
        }
        return number
    }

    /// Two whole numbers, the second one null where it means no bound (2^63 - 1 or - 2).
    private static func range(_ values: [JSONValue]?, at pointer: String) throws -> JSONValue {
        guard let values else { return nil }
        let lower = try number(values[0], at: pointer)
        let upper = try number(values[1], at: pointer)
        let isBounded = upper <= Double(Int32.max)
        guard lower >= 0, lower <= Double(Int32.max), lower <= upper,
            lower.rounded() == lower, !isBounded || upper.rounded() == upper
        else {
            throw CatalogError.invalidBody(
                "\(pointer): Two whole numbers are needed, the smaller first.")
        }
        return [
            JSONValue(integerLiteral: Int64(lower)),
            isBounded ? JSONValue(integerLiteral: Int64(upper)) : nil,
        ]
    }
}

/// What a context says that it reports.
enum ReportingCapabilities {
    /// Each kind once, the first that was named; and always the duration.
    static func complete(_ named: [Fields]) -> [JSONValue] {
        var kinds: Set<String> = []
        var capabilities: [JSONValue] = []
        for capability in named {
            let kind = capability.text("kind") ?? "duration"
            guard kinds.insert(kind).inserted else { continue }
            capabilities.append([
                "kind": .text(kind), "details": .text(capability.text("details") ?? ""),
            ])
        }
        if !kinds.contains("duration") {
            capabilities.append(["kind": "duration", "details": ""])
        }
        return capabilities
    }
}
