import Values

/// Moments, days and identifiers: what is accepted as text has a text form, which means the same.
enum ValueProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        if let moment = Timestamp(text) {
            require(Timestamp(moment.description) == moment, "a moment has a text of its own")
        }
        if let day = Day(text) {
            require(day.description == text, "a day has one text")
            let date = day.calendar
            require(
                Day(year: date.year, month: date.month, day: date.day) == day,
                "a day is what its calendar says")
        }
        if let identifier = UUID(text) {
            require(identifier.description == text.lowercased(), "an identifier has one text")
            let again = identifier.bytes.withUnsafeBytes { UUID(bytes: $0) }
            require(again == identifier, "an identifier is its bytes")
        }
    }
}
