import API
import JSONBytes

/// A context as an app saves it, checked beyond its shape.
enum NativeContext {
    /// The JSON for the database, with all values of the right type; throws everything that is wrong.
    static func documents(_ contexts: [Fields], of bundleID: String) throws -> JSONValue {
        var errors: [Problem.Invalid] = []
        var seen: Set<[String]> = []
        for (index, context) in contexts.enumerated() where errors.count < 100 {
            errors += check(context, at: "/contexts/\(index)", of: bundleID)
            if !seen.insert(context.texts("identifierPath") ?? []).inserted {
                errors.append(
                    Problem.Invalid(
                        pointer: "/contexts/\(index)/identifierPath", code: "duplicate",
                        detail: "Another context of the call has this path."))
            }
        }
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        return .array(contexts.map { document($0, of: bundleID) })
    }

    private static func check(
        _ context: Fields, at pointer: String, of bundleID: String
    ) -> [Problem.Invalid] {
        var errors: [Problem.Invalid] = []
        func add(_ name: String, _ code: String, _ detail: String) {
            errors.append(
                Problem.Invalid(pointer: "\(pointer)/\(name)", code: code, detail: detail))
        }
        let path = context.texts("identifierPath") ?? []
        let shownBelow = navigationPaths(context)
        let paths =
            [("identifierPath", path)]
            + shownBelow.enumerated().map { ("navigationPaths/\($0.offset)", $0.element) }
        for (name, path) in paths
        where path.reduce(bundleID.unicodeScalars.count, { $0 + $1.unicodeScalars.count }) > 256 {
            add(
                name, "wrong_length",
                "With the bundle id a path has at most 256 characters in total.")
        }
        if path.isEmpty != (context.text("type") == "app") {
            add("type", "wrong_type", "The app's own context, and no other, has the type app.")
        }
        for name in ["suggestedAge", "suggestedCompletionTime"] {
            guard let bounds = context.list(name) else { continue }
            let lower = bounds[0].int64 ?? 0
            if let upper = bounds[1].int64, upper < lower {
                add(name, "out_of_order", "The smaller number comes first.")
            }
        }
        return errors
    }

    private static func navigationPaths(_ context: Fields) -> [[String]] {
        (context.list("navigationPaths") ?? []).map { ($0.array ?? []).compactMap(\.text) }
    }

    private static func document(_ context: Fields, of bundleID: String) -> JSONValue {
        let isCustom = context.text("type") == "custom"
        // As the catalog has them: with the bundle id.
        let shownBelow = navigationPaths(context).map { path -> JSONValue in
            ["path": .array(([bundleID] + path).map(JSONValue.text))]
        }
        return [
            "identifier_path": context["identifierPath"] ?? [], "title": context["title"] ?? nil,
            "type": context["type"] ?? nil,
            "custom_type_name": isCustom ? context["customTypeName"] ?? nil : nil,
            "display_order": JSONValue(floatLiteral: context.number("displayOrder") ?? 0),
            "is_assignable": context["isAssignable"] ?? true,
            "progress_reporting_capabilities": .array(
                ReportingCapabilities.complete(
                    context.objects("progressReportingCapabilities") ?? [])),
            "suggested_age": bounds(context, "suggestedAge"),
            "suggested_completion_time": bounds(context, "suggestedCompletionTime"),
            "summary": context["summary"] ?? nil, "topic": context["topic"] ?? nil,
            "universal_link_url": context["universalLinkURL"] ?? nil,
            "presentable_paths": shownBelow.isEmpty ? nil : .array(shownBelow),
        ]
    }

    /// The lower bound is never null in the database.
    private static func bounds(_ context: Fields, _ name: String) -> JSONValue {
        guard let bounds = context.list(name) else { return nil }
        return [bounds[0].isNull ? 0 : bounds[0], bounds[1]]
    }
}
