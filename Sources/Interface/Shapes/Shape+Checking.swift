import JSONBytes
import Values

extension Shape {
    /// One mistake in a value.
    package struct Mistake: Sendable {
        /// A JSON pointer (RFC 6901) into the value.
        package let pointer: String
        /// Stable, for programs.
        package let code: String
        /// A sentence for people.
        package let detail: String

        package init(pointer: String, code: String, detail: String) {
            self.pointer = pointer
            self.code = code
            self.detail = detail
        }
    }

    /// Everything that is wrong with a value, up to a hundred mistakes, each with its pointer.
    package func check(_ value: JSONValue) -> [Mistake] {
        var mistakes = Mistakes()
        check(value, into: &mistakes)
        return mistakes.errors
    }

    /// The mistakes so far, and the pointer to the value being checked.
    struct Mistakes {
        private(set) var errors: [Mistake] = []
        private var pointer = JSONPointer()

        var isFull: Bool { errors.count >= 100 }

        mutating func add(_ code: String, _ detail: String) {
            guard !isFull else { return }
            errors.append(Mistake(pointer: "\(pointer)", code: code, detail: detail))
        }

        /// Checks one level further down.
        mutating func inside(_ step: JSONPointer.Step, check: (inout Mistakes) -> Void) {
            pointer.enter(step)
            check(&self)
            pointer.leave()
        }
    }

    func check(_ value: JSONValue, into mistakes: inout Mistakes) {
        switch (self, value) {
        case (.text(let range, let lines), .text(let text)):
            checkText(text, range, lines, into: &mistakes)
        case (.integer(let range), .number(let number)):
            guard let whole = number.int64, range.contains(Int(whole)) else {
                mistakes.add("out_of_range", "This should be a whole number \(range.words).")
                return
            }
        case (.number(let range), .number(let number)):
            if !range.contains(number.double) {
                mistakes.add("out_of_range", "This should be a number \(range.words).")
            }
        case (.boolean, .bool), (.anything, _), (.orNull, .null): break
        case (.array(let element, let count), .array(let values)):
            if !count.contains(values.count) {
                mistakes.add("wrong_count", "This list should have \(count.countWords) entries.")
            }
            for (index, value) in values.enumerated() where !mistakes.isFull {
                mistakes.inside(.index(index)) { element.check(value, into: &$0) }
            }
        case (.object(let shape), .object(let object)):
            shape.check(object, into: &mistakes)
        case (.map(let element), .object(let object)):
            for member in object.members {
                mistakes.inside(.key(member.key)) { element.check(member.value, into: &$0) }
            }
        case (.variant(_, let discriminator, let variants), .object(let object)):
            checkVariant(object, discriminator, variants, into: &mistakes)
        case (.either(let first, let second), _):
            (first.accepts(value) ? first : second).check(value, into: &mistakes)
        case (.orNull(let shape), _): shape.check(value, into: &mistakes)
        case (_, .text(let text)) where hasTextForm:
            if !accepts(text) { mistakes.add("malformed", "This should be \(words).") }
        default:
            mistakes.add("wrong_type", "This should be \(words), not \(value.typeWord).")
        }
    }

    /// Whether the JSON type fits, to choose between the two shapes of `either`.
    private func accepts(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.array, .array), (.object, .object), (.map, .object), (.variant, .object),
            (.integer, .number), (.number, .number), (.boolean, .bool), (.text, .text),
            (.anything, _):
            true
        case (_, .text(let text)): hasTextForm && accepts(text)
        default: false
        }
    }

    /// Whether null is valid for the shape.
    package var takesNull: Bool {
        switch self {
        case .orNull, .anything: true
        case .either(let first, let second): first.takesNull || second.takesNull
        default: false
        }
    }

    /// Whether values are JSON strings of a certain form.
    private var hasTextForm: Bool {
        switch self {
        case .uuid, .timestamp, .day, .form, .word: true
        default: false
        }
    }

    private func accepts(_ text: String) -> Bool {
        switch self {
        case .uuid: UUID(text) != nil
        case .timestamp: Timestamp(text) != nil
        case .day: Day(text) != nil
        case .form(let form): form.accepts(text)
        case .word(let words): words.contains(text)
        default: true
        }
    }

    private func checkText(
        _ text: String, _ range: ClosedRange<Int>, _ lines: Bool, into mistakes: inout Mistakes
    ) {
        let scalars = text.unicodeScalars
        // Most texts are printable ASCII, for which the bytes are enough.
        let isPlain =
            text.utf8.withContiguousStorageIfAvailable {
                $0.allSatisfy { (0x20...0x7E).contains($0) }
            } ?? false
        if !range.contains(isPlain ? text.utf8.count : scalars.count) {
            mistakes.add("wrong_length", "This should have \(range.countWords) characters.")
        } else if range.lowerBound > 0, scalars.allSatisfy(isBlank) {
            mistakes.add("blank", "This cannot be blank.")
        } else if !isPlain,
            scalars.contains(where: {
                $0.isControl && !(lines && [9, 10, 13].contains($0.value))
            })
        {
            mistakes.add("control_character", "Control characters are not allowed here.")
        }
    }

    private func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
    }

    private func checkVariant(
        _ object: JSONObject, _ discriminator: String,
        _ variants: [(word: String, shape: ObjectShape)], into mistakes: inout Mistakes
    ) {
        let words = variants.map(\.word)
        guard case .text(let word)? = object[discriminator],
            let variant = variants.first(where: { $0.word == word })
        else {
            return mistakes.inside(.key(discriminator)) {
                $0.add("unknown_kind", "This should be \(Shape.word(words).words).")
            }
        }
        variant.shape.check(object, into: &mistakes)
    }
}

extension ObjectShape {
    func check(_ object: JSONObject, into mistakes: inout Shape.Mistakes) {
        for member in object.members {
            mistakes.inside(.key(member.key)) { check(member, into: &$0) }
        }
        for field in fields where field.isRequired && !object.has(field.name) {
            mistakes.inside(.key(field.name)) { $0.add("missing", "This field is required.") }
        }
    }

    private func check(_ member: JSONObject.Member, into mistakes: inout Shape.Mistakes) {
        guard let field = fields.first(where: { $0.name == member.key }) else {
            return mistakes.add("unknown_field", "This field does not exist. Check the spelling.")
        }
        if case .null = member.value {
            if field.isNullable || field.shape.takesNull { return }
            let advice = field.isRequired ? "" : " Leave it out instead."
            return mistakes.add("wrong_type", "This cannot be null.\(advice)")
        }
        field.shape.check(member.value, into: &mistakes)
    }
}

extension Shape {
    /// The shape in words, for sentences.
    var words: String {
        switch self {
        case .text: "text"
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .uuid: "a UUID"
        case .timestamp: "a time like 2026-11-21T08:00:00.000Z"
        case .day: "a day like 2026-11-21"
        case .form(let form): form.words
        case .word(let words): "one of " + words.joined(separator: ", ")
        case .array: "a list"
        case .object, .variant, .map: "an object"
        case .either(let first, let second): "\(first.words) or \(second.words)"
        case .orNull(let shape): shape.words
        case .anything: "anything"
        }
    }
}

extension ClosedRange where Bound: Comparable {
    fileprivate var words: String { "from \(lowerBound) to \(upperBound)" }
}

extension ClosedRange<Int> {
    /// A count in words, for sentences.
    fileprivate var countWords: String {
        if lowerBound == upperBound { return "exactly \(lowerBound)" }
        return lowerBound == 0 ? "at most \(upperBound)" : "\(lowerBound) to \(upperBound)"
    }
}

extension JSONValue {
    fileprivate var typeWord: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
