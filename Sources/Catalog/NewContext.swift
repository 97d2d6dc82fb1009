import JSONBytes
import School

/// A context as a developer publishes it, checked beyond its shape.
struct NewContext: Sendable {
    let bundleID: String
    /// Below the app; empty for the app itself.
    let path: [String]
    /// In lower case, with hyphens.
    let locale: String
    /// What the database reads, all values of the right type.
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
        members += NewContext.metadata(metadata)
        members.append(("bundle_id", .text(bundleID)))
        members.append(("identifier_path", .array(path.map(JSONValue.text))))
        members.append(("locale", .text(locale)))
        document = .object(JSONObject(members))
    }

    /// `en_US` as `en-us`.
    static func normal(locale: String) -> String {
        locale.lowercased().replacing("_", with: "-")
    }

    /// Depth and length over the whole path, and what the root must be.
    private static func check(_ path: [String], _ data: Fields, at pointer: String) throws {
        guard path.reduce(0, { $0 + $1.unicodeScalars.count }) <= 256 else {
            throw CatalogError.invalidBody(
                "\(pointer)/identifierPath: A path has at most 256 characters in total.")
        }
        guard (path.count == 1) == (data.text("type") == "app") else {
            throw CatalogError.invalidBody(
                "\(pointer)/type: The main app context, and no other, has the type app.")
        }
    }

    private static func data(_ data: Fields, at pointer: String) -> [(String, JSONValue)] {
        let isCustom = data.text("type") == "custom"
        var capabilities = (data.objects("progressReportingCapabilities") ?? []).map { capability in
            JSONValue.object(
                JSONObject([
                    ("kind", .text(capability.text("kind") ?? "duration")),
                    ("details", .text(capability.text("details") ?? "")),
                ]))
        }
        if !capabilities.contains(where: { $0["kind"]?.text == "duration" }) {
            capabilities.append(["kind": "duration", "details": ""])
        }
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

    private static func metadata(_ metadata: Fields) -> [(String, JSONValue)] {
        [
            ("minimum_bundle_version", metadata["minimumBundleVersion"] ?? nil),
            ("keywords", metadata["keywords"] ?? []),
            (
                "presentable_locales",
                .array(
                    (metadata.texts("presentableLocales") ?? []).map { .text(normal(locale: $0)) })
            ),
            ("presentable_paths", metadata["presentablePaths"] ?? nil),
            ("standards_alignments", metadata["standardsAlignments"] ?? []),
        ]
    }

    /// A number or a numeric string.
    private static func number(_ value: JSONValue, at pointer: String) throws -> Double {
        let number = value.double ?? value.text.flatMap { Double($0) }
        guard let number, number.isFinite else {
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
