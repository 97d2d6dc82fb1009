import JSONBytes

/// An attribute of a resource as the standard declares attributes (RFC 7643 section 7).
struct Attribute: Sendable {
    enum Kind: Sendable {
        case text
        case boolean
        case moment
        /// To resources of these types.
        case reference([String])
        case complex([Attribute])
    }

    enum Mutability: String, Sendable {
        case readOnly, readWrite, immutable
    }

    /// The values that it may have.
    enum Words: Sendable {
        case any
        case listed([String])
        /// The names of the organization's locations.
        case locations
    }

    let name: String
    let kind: Kind
    let meaning: String
    var isMany = false
    var isRequired = false
    var isExact = false
    var mutability = Mutability.readWrite
    var returned = "default"
    var uniqueness = "none"
    var words = Words.any
    /// Whether clients learn of it. One that is not listed is read where it is sent, and never returned.
    var isListed = true

    init(_ name: String, _ meaning: String) {
        self.init(name, .text, meaning)
    }

    init(_ name: String, _ kind: Kind, _ meaning: String) {
        self.name = name
        self.kind = kind
        self.meaning = meaning
    }

    /// The same attribute with something set.
    func with(_ change: (inout Attribute) -> Void) -> Attribute {
        var attribute = self
        change(&attribute)
        return attribute
    }

    var parts: [Attribute] {
        if case .complex(let parts) = kind { parts } else { [] }
    }

    /// As `/Schemas` lists it.
    ///
    /// - Parameter locations: the names of the organization's locations.
    func description(_ locations: [String]) -> JSONValue {
        var object = JSONObject([
            ("name", .text(name)), ("type", .text(type)), ("multiValued", .bool(isMany)),
            ("description", .text(meaning)), ("required", .bool(isRequired)),
        ])
        switch words {
        case .any: break
        case .listed(let words): object["canonicalValues"] = .array(words.map(JSONValue.text))
        case .locations: object["canonicalValues"] = .array(locations.map(JSONValue.text))
        }
        object["caseExact"] = .bool(isExact)
        object["mutability"] = .text(mutability.rawValue)
        object["returned"] = .text(returned)
        object["uniqueness"] = .text(uniqueness)
        if case .reference(let types) = kind {
            object["referenceTypes"] = .array(types.map(JSONValue.text))
        }
        if case .complex = kind {
            object["subAttributes"] = .array(
                parts.filter(\.isListed).map { $0.description(locations) })
        }
        return .object(object)
    }

    private var type: String {
        switch kind {
        case .text: "string"
        case .boolean: "boolean"
        case .moment: "dateTime"
        case .reference: "reference"
        case .complex: "complex"
        }
    }
}

extension [Attribute] {
    /// The attribute of a name in any case (RFC 7643 section 2.1).
    func named(_ name: some StringProtocol) -> Attribute? {
        let wanted = name.lowercased()
        return first { $0.name.lowercased() == wanted }
    }
}

/// A schema with its URN.
struct Schema: Sendable {
    let id: String
    let name: String
    let meaning: String
    let attributes: [Attribute]

    /// As `/Schemas` lists it.
    func description(_ locations: [String], root: String) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"], "id": .text(id),
            "name": .text(name), "description": .text(meaning),
            "attributes": .array(
                attributes.filter(\.isListed).map { $0.description(locations) }),
            "meta": [
                "resourceType": "Schema", "location": .text("\(root)/Schemas/\(id)"),
            ],
        ]
    }
}

/// An attribute of a resource, found by the name that a client sent.
struct AttributeName: Sendable {
    /// The extension that it belongs to; `nil` for the resource itself.
    let schema: Schema?
    let attribute: Attribute
    let part: Attribute?

    /// The name as the schemas write it.
    var text: String {
        (schema.map { "\($0.id):" } ?? "") + attribute.name + (part.map { ".\($0.name)" } ?? "")
    }
}

/// What a name leads to.
enum Named: Sendable {
    case attribute(AttributeName)
    /// A whole extension.
    case schema(Schema)
}
