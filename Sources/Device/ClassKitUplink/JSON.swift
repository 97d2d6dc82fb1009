import Foundation

/// JSON as the server reads and writes it.
enum JSON {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(text(date))
        }
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = date(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "“\(text)” is not a time.")
            }
            return date
        }
        return try decoder.decode(type, from: data)
    }

    /// RFC 3339, UTC, with milliseconds. Rounds to the nearest, because a `Date` seldom is a whole one.
    static func text(_ date: Date) -> String {
        let rounded = Date(
            timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000 + 0.0002)
        return rounded.formatted(
            .iso8601.year().month().day().timeZone(separator: .omitted)
                .time(includingFractionalSeconds: true).timeSeparator(.colon))
    }

    static func date(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return try? style.parse(text)
    }
}

extension Data {
    /// Base64 for addresses, without padding (RFC 4648 section 5).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
