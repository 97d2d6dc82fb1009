import JSONBytes

/// What a value in a body or an answer looks like.
///
/// One declaration checks what clients send, with a pointer to each mistake, and produces the schema in the API
/// document, so that the two cannot disagree.
package indirect enum Shape: Sendable {
    /// Characters, counted as Unicode scalars; no control characters except line breaks if `lines` is set.
    case text(ClosedRange<Int>, lines: Bool = false)
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case boolean
    case uuid
    case timestamp
    case day
    /// Text of a form that is not one of the above.
    case form(TextForm)
    /// One of the words.
    case word([String])
    case array(Shape, count: ClosedRange<Int>)
    case object(ObjectShape)
    /// Objects distinguished by the word in one field.
    case variant(name: String, discriminator: String, [(word: String, shape: ObjectShape)])
    /// Either of two shapes that differ in their JSON type.
    case either(Shape, Shape)
    case orNull(Shape)
    /// An object with arbitrary keys.
    case map(Shape)
    case anything

    /// Text of one line with at least one visible character, as in names and titles.
    package static func line(_ maximum: Int = 256) -> Shape { .text(1...maximum) }

    /// An object without its own name in the document.
    package static func fields(_ name: String, _ fields: [Field]) -> Shape {
        .object(ObjectShape(name, fields))
    }
}

/// A form of text: how it is described, and which texts have it.
package struct TextForm: Sendable {
    /// In words, for sentences: `a telephone number`.
    let words: String
    /// The JSON Schema.
    package let schema: JSONValue
    /// A text that has it.
    package let example: String
    let accepts: @Sendable (String) -> Bool

    package init(
        _ words: String, schema: JSONValue, example: String,
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.words = words
        self.schema = schema
        self.example = example
        self.accepts = accepts
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
    /// Whether the value may be null.
    package let isNullable: Bool
    /// A sentence for the API document, if the name does not say enough.
    package let meaning: String?

    package static func required(
        _ name: String, _ shape: Shape, _ meaning: String? = nil
    ) -> Field {
        Field(name: name, shape: shape, isRequired: true, isNullable: false, meaning: meaning)
    }

    /// May be absent, and is never null: in a body, null would mean no more than leaving it out.
    package static func optional(
        _ name: String, _ shape: Shape, _ meaning: String? = nil
    ) -> Field {
        Field(name: name, shape: shape, isRequired: false, isNullable: false, meaning: meaning)
    }

    /// Always present in an answer; null if there is no value.
    package static func orNull(
        _ name: String, _ shape: Shape, _ meaning: String? = nil
    ) -> Field {
        .required(name, .orNull(shape), meaning)
    }

    /// May be absent or null. In a merge patch, absent leaves the field as it is, and null resets it to its default;
    /// in an answer, both mean that there is no value.
    package static func nullable(
        _ name: String, _ shape: Shape, _ meaning: String? = nil
    ) -> Field {
        Field(name: name, shape: shape, isRequired: false, isNullable: true, meaning: meaning)
    }
}

extension [Field] {
    /// The fields as in answers: null if there is no value.
    package var answered: [Field] {
        map { $0.isRequired ? $0 : .orNull($0.name, $0.shape, $0.meaning) }
    }

    /// The fields as in a merge patch (RFC 7396): each may be absent, and null resets fields that are optional
    /// elsewhere to their default.
    ///
    /// - Parameter staying: fields that have no default.
    package func changed(staying: Set<String> = []) -> [Field] {
        map { field in
            field.isRequired || staying.contains(field.name)
                ? .optional(field.name, field.shape, field.meaning)
                : .nullable(field.name, field.shape, field.meaning)
        }
    }
}
