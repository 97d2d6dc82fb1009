import Shapes

/// A row that an import changes, or would change.
package struct ImportChange: Record {
    package let file = Member<Word<ImportFileName>>("file")
    package let change = Member<Word<RowChange>>("change")
    package let line = Member<Int?>(
        "line", .integer(1...Int.max), "Absent where the archive does not name the row.")
    package let sourceId = Member<String?>("sourceId", .text(1...255))
    package let classSourceId = Member<String?>(
        "classSourceId", .text(1...255), "Of a seat: of its class.")
    package let personSourceId = Member<String?>(
        "personSourceId", .text(1...255), "Of a seat: of its person.")
    package let kind = Member<Word<ImportRowKind>?>(
        "kind", "What it is a row of; absent in plans of earlier versions.")
    package let givenName = Member<String?>(
        "givenName", .line(), "Of a person and of a seat, before the import.")
    package let familyName = Member<String?>(
        "familyName", .line(), "Of a person and of a seat, before the import.")
    package let grade = Member<String?>("grade", .line(), "Of a person and of a seat.")
    package let location = Member<String?>(
        "location", .line(), "Of a person: the name of the location.")
    package let name = Member<String?>(
        "name", .line(), "Of everything else; of a seat, that of its class.")
    package let fields = Member<[String]>(
        "fields", .array(.text(1...50), count: 0...20), "What differs, where it is changed.")
    package let values = Member<[Document<ImportValue>]>(
        "values", count: 0...20, "From what to what: of the fields that are single values.")

    package static let declaration = Declaration(Self())
}

/// What a field was, and becomes.
package struct ImportValue: Record {
    package let name = Member<String>("name", .text(1...50), "As in `fields`.")
    package let was = Member<String?>("was", .text(0...1000), "Names stand for ids.")
    package let becomes = Member<String?>("becomes", .text(0...1000))

    package static let declaration = Declaration(Self())
}

/// A person whom an import changes, or would change.
package struct ImportedPerson: Record {
    package let change = Member<Word<PersonChange>>(
        "change", "removed: is deactivated. seats: only classes change.")
    package let line = Member<Int?>(
        "line", .integer(1...Int.max), "Absent where the archive does not name the person.")
    package let sourceId = Member<String?>("sourceId", .text(1...255))
    package let personId = Member<String?>("personId", .uuid, "Of a person who is here.")
    package let givenName = Member<String?>(
        "givenName", .line(), "Before the import, where there was one.")
    package let familyName = Member<String?>("familyName", .line())
    package let nameOrder = Member<Word<NameOrder>?>("nameOrder")
    package let role = Member<Word<ImportedPersonRole>?>(
        "role", "Absent where only classes change.")
    package let grade = Member<String?>("grade", .line())
    package let location = Member<String?>("location", .line(), "The name of the location.")
    package let values = Member<[Document<ImportValue>]>(
        "values", count: 0...20, "From what to what.")
    package let roles = Member<[Document<ImportedRole>]>(
        "roles", count: 0...1000, "What roles are given and taken.")
    package let seats = Member<[Document<ImportedSeat>]>(
        "seats", count: 0...ImportLimit.seats, "The first of them.")
    package let seatCount = Member<Int>("seatCount", .integer(0...Int.max), "All of them.")

    package static let declaration = Declaration(Self())
}

/// A role that an import gives or takes.
package struct ImportedRole: Record {
    package let role = Member<String>("role", .text(1...50))
    package let location = Member<String?>("location", .line(), "The name of the location.")
    package let change = Member<Word<RoleChange>>("change")

    package static let declaration = Declaration(Self())
}

/// A class that a person joins, leaves, or is in differently.
package struct ImportedSeat: Record {
    package let change = Member<Word<RowChange>>("change")
    package let `class` = Member<String?>("class", .line(), "The name of the class.")
    package let classSourceId = Member<String?>("classSourceId", .text(1...255))
    package let role = Member<Word<SeatRole>?>("role")

    package static let declaration = Declaration(Self())
}
