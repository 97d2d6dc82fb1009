import JSONBytes

/// A type of resource, with its schemas.
enum ResourceType: String, CaseIterable, Sendable {
    case user = "User"
    case group = "Group"

    /// The segment of its paths.
    var segment: String { rawValue + "s" }

    var meaning: String {
        switch self {
        case .user: "People with a managed ID."
        case .group: "Classes, and the locations of the organization."
        }
    }

    var core: Schema {
        switch self {
        case .user: .user
        case .group: .group
        }
    }

    var extensions: [Schema] {
        switch self {
        case .user: [.enterpriseUser, .schoolUser]
        case .group: [.schoolGroup]
        }
    }

    /// Of every resource (RFC 7643 section 3.1); no schema lists them.
    private static let common: [Attribute] = [
        Attribute("id", "Made by Homeroom.").with {
            $0.mutability = .readOnly
            $0.returned = "always"
        },
        Attribute("externalId", "What the client calls the resource; every client has its own.")
            .with {
                $0.isExact = true
            },
        Attribute("schemas", "The schemas of the resource.").with {
            $0.isMany = true
            $0.mutability = .readOnly
            $0.returned = "always"
        },
        Attribute(
            "meta",
            .complex(
                ["resourceType", "location", "version"].map { Attribute($0, "") }
                    + ["created", "lastModified"].map { Attribute($0, .moment, "") }), ""
        ).with { $0.mutability = .readOnly },
    ]

    /// Everything that stands beside `schemas` in a resource, but for extensions.
    var attributes: [Attribute] { Self.common + core.attributes }

    /// What an attribute path without a filter names; `nil` if it is unknown here.
    func find(_ text: String) -> Named? {
        guard text.lowercased().hasPrefix("urn:") else { return find(text[...], in: nil) }
        let lower = text.lowercased()
        for schema in extensions + [core] {
            let isCore = schema.id == core.id
            if lower == schema.id.lowercased() { return isCore ? nil : .schema(schema) }
            guard lower.hasPrefix("\(schema.id.lowercased()):") else { continue }
            return find(text.dropFirst(schema.id.count + 1), in: isCore ? nil : schema)
        }
        return nil
    }

    private func find(_ text: Substring, in schema: Schema?) -> Named? {
        let names = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let attribute = (schema?.attributes ?? attributes).named(names[0]) else { return nil }
        guard names.count == 2 else {
            return .attribute(AttributeName(schema: schema, attribute: attribute, part: nil))
        }
        return attribute.parts.named(names[1]).map {
            .attribute(AttributeName(schema: schema, attribute: attribute, part: $0))
        }
    }

    /// As `/ResourceTypes` lists it.
    func description(root: String) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
            "id": .text(rawValue), "name": .text(rawValue), "description": .text(meaning),
            "endpoint": .text("/\(segment)"), "schema": .text(core.id),
            "schemaExtensions": .array(
                extensions.map { ["schema": .text($0.id), "required": false] }),
            "meta": [
                "resourceType": "ResourceType",
                "location": .text("\(root)/ResourceTypes/\(rawValue)"),
            ],
        ]
    }
}
