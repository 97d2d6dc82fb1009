import JSONBytes

/// One record of a collection, read strictly: a value of another type is refused with its place.
struct RosterRecord {
    let collection: OneRosterFile
    let id: String
    private let members: JSONObject

    /// The longest `sourcedId`, in characters: what an import takes. It is in each row about the record, so that a
    /// long one would become longer than everything that the provider sent.
    private static let idLength = 255

    /// Refuses what is not an object with a `sourcedId` that an import takes.
    init(_ value: JSONValue, in collection: OneRosterFile) throws {
        guard let members = value.object else {
            throw RosterFailure(
                .unexpectedAnswer, "One of the \(collection.rawValue) is not an object.")
        }
        guard let id = Self.id(members["sourcedId"]), !id.isEmpty else {
            throw RosterFailure(
                .unexpectedAnswer, "One of the \(collection.rawValue) has no sourcedId.")
        }
        guard id.utf8.count <= 4 * Self.idLength, id.unicodeScalars.count <= Self.idLength else {
            throw RosterFailure(
                .unexpectedAnswer,
                "One of the \(collection.rawValue) has a sourcedId of more than \(Self.idLength) characters."
            )
        }
        self.collection = collection
        self.id = id
        self.members = members
    }

    /// Whether it still exists.
    var isActive: Bool { members["status"]?.text != "tobedeleted" }
    /// When it was changed last, as the provider wrote it.
    var changed: String? { members["dateLastModified"]?.text }

    func has(_ name: String) -> Bool { members[name].map { !$0.isNull } ?? false }

    /// A text, a number or a Boolean; empty if it is absent.
    func text(_ name: String) throws -> String {
        try Self.text(members[name]) ?? refuse(name, "is not a text")
    }

    /// The day of a date, or of a moment.
    func day(_ name: String) throws -> String {
        let text = try text(name)
        let bytes = text.utf8
        guard bytes.count > 10,
            let index = bytes.index(bytes.startIndex, offsetBy: 10, limitedBy: bytes.endIndex),
            bytes[index] == UInt8(ascii: "T")
        else { return text }
        return String(text[..<index])
    }

    /// The ID to which a reference leads; empty if it is absent.
    func reference(_ name: String) throws -> String {
        guard let value = members[name], !value.isNull else { return "" }
        return try Self.id(value["sourcedId"])
            ?? refuse(name, "is not a reference with a sourcedId")
    }

    /// The IDs to which references lead, as a list in a file.
    func references(_ name: String) throws -> String {
        try elements(name).map { element -> String in
            guard let id = Self.id(element["sourcedId"]) else {
                return try refuse(name, "has an element without a sourcedId")
            }
            guard !id.utf8.contains(UInt8(ascii: ",")) else {
                return try refuse(name, "has an ID with a comma, which a list cannot hold")
            }
            return id
        }.joined(separator: ",")
    }

    /// Texts, as a list in a file; one with a comma counts as several.
    func list(_ name: String) throws -> String {
        try elements(name).map {
            try Self.text($0) ?? refuse(name, "has an element that is not a text")
        }
        .joined(separator: ",")
    }

    /// The records inside this one, such as the roles of a user.
    func inner(_ name: String) throws -> [RosterRecord] {
        try elements(name).map { element -> RosterRecord in
            guard let members = element.object else {
                return try refuse(name, "has an element that is not an object")
            }
            return RosterRecord(collection, id, members)
        }
    }

    private init(_ collection: OneRosterFile, _ id: String, _ members: JSONObject) {
        self.collection = collection
        self.id = id
        self.members = members
    }

    private func elements(_ name: String) throws -> [JSONValue] {
        guard let value = members[name], !value.isNull else { return [] }
        return try value.array ?? refuse(name, "is not a list")
    }

    /// An ID; some systems write it as a number.
    private static func id(_ value: JSONValue?) -> String? {
        switch value {
        case .text(let text)?: text
        case .number(let number)?: number.literal
        default: nil
        }
    }

    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case nil, .null?: ""
        case .text(let text)?: text
        case .number(let number)?: number.literal
        case .bool(let value)?: value ? "true" : "false"
        default: nil
        }
    }

    private func refuse<Value>(_ name: String, _ what: String) throws -> Value {
        throw RosterFailure(
            .unexpectedAnswer, "\(name) of \(shown(id)) in \(collection.rawValue) \(what).")
    }
}
