import JSONBytes
import Values

/// What a value in a body or an answer looks like.
///
/// One declaration checks what clients send, with a pointer to whatever is wrong, and makes the schema in
/// the API document, so that the two cannot disagree.
package indirect enum Shape: Sendable {
    /// Characters, counted as Unicode scalars; without control characters unless it may have lines.
    case text(ClosedRange<Int>, lines: Bool = false)
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case boolean
    case uuid
    case timestamp
    case day
    /// An id or `source:ID`.
    case reference
    /// Any of the words.
    case word([String])
    case array(Shape, count: ClosedRange<Int>)
    case object(ObjectShape)
    /// Objects told apart by the word in one field.
    case variant(name: String, discriminator: String, [(word: String, shape: ObjectShape)])
    /// Either of two shapes that differ in their JSON type.
    case either(Shape, Shape)
    case orNull(Shape)
    /// Any object, its keys not known beforehand.
    case map(Shape)
    case anything

    /// Text of one line with at least one visible character, as in names and titles.
    package static func line(_ maximum: Int = 256) -> Shape { .text(1...maximum) }

    /// An object without a name of its own in the document.
    package static func fields(_ name: String, _ fields: [Field]) -> Shape {
        .object(ObjectShape(name, fields))
    }
}

/// An object with known fields; unknown ones are refused.
package struct ObjectShape: Sendable {
    /// Its name in the API document.
    package let name: String
    package let fields: [Field]

    package init(_ name: String, _ fields: [Field]) {
        self.name = name
        self.fields = fields
    }
}

/// A field of an object.
package struct Field: Sendable {
    package let name: String
    package let shape: Shape
    package let isRequired: Bool
    /// A sentence for the API document, where the name does not say enough.
    package let meaning: String?

    package static func required(
        _ name: String, _ shape: Shape, _ meaning: String? = nil
    ) -> Field {
        Field(name: name, shape: shape, isRequired: true, meaning: meaning)
    }

    /// May be absent or null, which mean the same.
    package static func optional(
        _ name: String, _ shape: Shape, _ meaning: String? = nil
    ) -> Field {
        Field(name: name, shape: shape, isRequired: false, meaning: meaning)
    }
}
