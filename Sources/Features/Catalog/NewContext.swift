import API
import JSONBytes

/// A context as a developer publishes it, checked beyond its shape.
struct NewContext: Sendable {
    let bundleID: String
    /// Below the app; empty for the app itself.
    let path: [String]
    /// Lower case, with hyphens.
    let locale: String
    /// The JSON for the database: all values of the right type, nulls left out.
    let document: [UInt8]

    /// The path as it was sent, with the bundle id.
    var fullPath: [String] { [bundleID] + path }

    /// - Parameter index: the index in the call, for error messages.
    init(_ context: Fields, at index: Int) throws {
        let pointer = ItemPointer(index: index)
        guard let data = context.fields("data"), let metadata = context.fields("metadata"),
            let full = data.texts("identifierPath"), let bundleID = full.first
        else { throw CatalogError.invalidBody("/contexts/\(index): data and metadata are needed.") }
        try NewContext.check(full, data, at: pointer)
        self.bundleID = bundleID
        path = Array(full.dropFirst())
        locale = NewContext.normal(locale: metadata.text("locale") ?? "")
        var writer = JSONWriter()
        writer.beginObject()
        NewContext.write(data, into: &writer)
        try NewContext.writeFigures(data, at: pointer, into: &writer)
        try NewContext.write(metadata, of: bundleID, at: pointer, into: &writer)
        writer.member("bundle_id", .text(bundleID))
        writer.member("identifier_path", .array(path.map(JSONValue.text)))
        guard NewContext.isLocale(locale) else {
            throw CatalogError.invalidBody("\(pointer("metadata/locale")): Such as en-us.")
        }
        writer.member("locale", .text(locale))
        writer.endObject()
        document = writer.take()
    }

    /// The position of a context in a call; the pointer to a field is built only if something is wrong.
    private struct ItemPointer {
        let index: Int

        func callAsFunction(_ field: String) -> String { "/contexts/\(index)/\(field)" }
    }

    /// `en_US` as `en-us`.
    static func normal(locale: String) -> String {
        let small = locale.lowercased()
        return small.utf8.contains(UInt8(ascii: "_")) ? small.replacing("_", with: "-") : small
    }

    /// Letters first, then letters and digits, separated by hyphens; 35 characters at most, as the shape says.
    private static func isLocale(_ locale: String) -> Bool {
        let parts = locale.split(separator: "-", omittingEmptySubsequences: false)
        let areWords = parts.allSatisfy { part in
            (1...8).contains(part.count)
                && part.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
        }
        return areWords && parts[0].count > 1 && parts[0].utf8.allSatisfy { $0 >= 97 }
    }

    /// Checks the length of the whole path, and the rules for the root.
    private static func check(_ path: [String], _ data: Fields, at pointer: ItemPointer) throws {
        try checkLength(of: path, at: pointer, "data/identifierPath")
        guard (path.count == 1) == (data.text("type") == "app") else {
            throw CatalogError.invalidBody(
                "\(pointer("data/type")): The main app context, and no other, has the type app.")
        }
    }

    private static func checkLength(
        of path: [String], at pointer: ItemPointer, _ field: String
    ) throws {
        guard path.reduce(0, { $0 + $1.unicodeScalars.count }) <= 256 else {
            throw CatalogError.invalidBody(
                "\(pointer(field)): A path has at most 256 characters in total.")
        }
    }

    private static func write(_ data: Fields, into writer: inout JSONWriter) {
        writer.member("title", data["title"])
        writer.member("type", data["type"])
        if data.text("type") == "custom" {
            writer.member("custom_type_name", data["customTypeName"])
        }
        writer.member("is_assignable", data["isAssignable"] ?? true)
        let capabilities = ReportingCapabilities.complete(
            data.objects("progressReportingCapabilities") ?? [])
        writer.member("progress_reporting_capabilities", .array(capabilities))
        writer.member("summary", data["summary"])
        writer.member("thumbnail_id", data["thumbnailId"])
        writer.member("topic", data["topic"])
        writer.member("universal_link_url", data["universalLinkURL"])
    }

    private static func writeFigures(
        _ data: Fields, at pointer: ItemPointer, into writer: inout JSONWriter
    ) throws {
        let order = try number(data["displayOrder"] ?? 0, at: pointer, "data/displayOrder")
        writer.member("display_order", JSONValue(floatLiteral: order))
        writer.member(
            "suggested_age", try range(data.list("suggestedAge"), at: pointer, "data/suggestedAge"))
        writer.member(
            "suggested_completion_time",
            try range(
                data.list("suggestedCompletionTime"), at: pointer, "data/suggestedCompletionTime"))
    }

    private static func write(
        _ metadata: Fields, of bundleID: String, at pointer: ItemPointer,
        into writer: inout JSONWriter
    ) throws {
        let locales = (metadata.texts("presentableLocales") ?? []).map { normal(locale: $0) }
        guard locales.allSatisfy(isLocale), locales == ["mul"] || !locales.contains("mul") else {
            let field = pointer("metadata/presentableLocales")
            throw CatalogError.invalidBody(
                "\(field): Locales such as en-us, or mul alone for all of them.")
        }
        for path in (metadata.objects("presentablePaths") ?? []).compactMap({ $0.texts("path") }) {
            try checkLength(of: path, at: pointer, "metadata/presentablePaths")
            guard path[0] == bundleID else {
                let field = pointer("metadata/presentablePaths")
                throw CatalogError.invalidBody(
                    "\(field): A context is shown inside its own app.")
            }
        }
        try checkVersion(metadata.text("minimumBundleVersion"), at: pointer)
        writer.member("minimum_bundle_version", metadata["minimumBundleVersion"])
        writer.member("keywords", metadata["keywords"] ?? [])
        writer.member("presentable_locales", .array(locales.map(JSONValue.text)))
        writer.member("presentable_paths", metadata["presentablePaths"])
        writer.member("standards_alignments", metadata["standardsAlignments"] ?? [])
    }

    private static func checkVersion(_ version: String?, at pointer: ItemPointer) throws {
        let numbers = version?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else {
            throw CatalogError.invalidBody(
                "\(pointer("metadata/minimumBundleVersion")): Numbers between dots, such as 10.5.12."
            )
        }
    }

    /// A number, or text that is one as JSON writes it.
    private static func number(
        _ value: JSONValue, at pointer: ItemPointer, _ field: String
    ) throws -> Double {
        let spelled = value.text.flatMap { text in
            (try? JSONValue(parsing: text))?.number.flatMap { $0.text == text ? $0 : nil }
        }
        guard let number = (value.number ?? spelled)?.double, number.magnitude <= 9.3e18 else {
            throw CatalogError.invalidBody("\(pointer(field)): This should be a number.")
        }
        return number
    }

    /// Two integers, the second one null if it means no bound (2^63 - 1 or - 2).
    private static func range(
        _ values: [JSONValue]?, at pointer: ItemPointer, _ field: String
    ) throws -> JSONValue? {
        guard let values else { return nil }
        let lower = try number(values[0], at: pointer, field)
        let upper = try number(values[1], at: pointer, field)
        let isBounded = upper <= Double(Int32.max)
        guard lower >= 0, lower <= Double(Int32.max), lower <= upper,
            lower.rounded() == lower, !isBounded || upper.rounded() == upper
        else {
            throw CatalogError.invalidBody(
                "\(pointer(field)): Two whole numbers are needed, the smaller first.")
        }
        return [
            JSONValue(integerLiteral: Int64(lower)),
            isBounded ? JSONValue(integerLiteral: Int64(upper)) : nil,
        ]
    }
}

extension JSONWriter {
    /// A member of the object that is being written; left out if the value is absent or null.
    fileprivate mutating func member(_ name: StaticString, _ value: JSONValue?) {
        guard let value, !value.isNull else { return }
        key(name)
        value.write(into: &self)
    }
}

/// The progress that a context declares it reports.
enum ReportingCapabilities {
    /// Each kind once, keeping the first; the duration is always included.
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
