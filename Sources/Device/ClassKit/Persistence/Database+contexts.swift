import Foundation

extension Database {
    /// All contexts, parents before children.
    func contexts() throws -> [ContextRow] {
        try sql.rows(
            "select " + Database.contextColumns
                + " from context order by length(path) - length(replace(path, '/', '')), path <> '', rowid",
            read: { Database.context($0) })
    }

    static let contextColumns = """
        path, type, title, display_order, topic, summary, custom_type, is_assignable, age_from, age_length,
        time_from, time_length, link, capabilities, navigation, origin, has_thumbnail, created_at, modified_at
        """

    static func context(_ row: SQLiteStatement, from first: Int32 = 0) -> ContextRow {
        var fields = ContextFields(
            type: CLSContextType(rawValue: row.integer(first + 1)) ?? .none,
            title: row.text(first + 2))
        fields.displayOrder = row.integer(first + 3)
        fields.topic = row.optionalText(first + 4).map { CLSContextTopic($0) }
        fields.summary = row.optionalText(first + 5)
        fields.customTypeName = row.optionalText(first + 6)
        fields.isAssignable = row.flag(first + 7)
        fields.suggestedAge = NSRange(
            location: row.integer(first + 8), length: row.integer(first + 9))
        fields.suggestedCompletionTime = NSRange(
            location: row.integer(first + 10), length: row.integer(first + 11))
        fields.universalLinkURL = row.optionalText(first + 12).flatMap { URL(string: $0) }
        return ContextRow(
            path: PathKey.path(row.text(first)), fields: fields,
            capabilities: CapabilityText.read(row.text(first + 13)),
            navigation: row.text(first + 14).isEmpty
                ? [] : row.text(first + 14).split(separator: "\n").map { PathKey.path(String($0)) },
            origin: row.text(first + 15), hasThumbnail: row.flag(first + 16),
            created: Date(timeIntervalSince1970: row.real(first + 17)),
            modified: Date(timeIntervalSince1970: row.real(first + 18)))
    }

    func write(_ row: ContextRow) throws {
        let fields = row.fields
        try sql.run(
            """
            insert into context (path, type, title, display_order, topic, summary, custom_type,
                                 is_assignable, age_from, age_length, time_from, time_length, link,
                                 capabilities, navigation, origin, has_thumbnail, created_at,
                                 modified_at)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (path) do update set
                type = excluded.type, title = excluded.title, display_order = excluded.display_order,
                topic = excluded.topic, summary = excluded.summary, custom_type = excluded.custom_type,
                is_assignable = excluded.is_assignable, age_from = excluded.age_from,
                age_length = excluded.age_length, time_from = excluded.time_from,
                time_length = excluded.time_length, link = excluded.link,
                capabilities = excluded.capabilities, navigation = excluded.navigation,
                origin = excluded.origin, has_thumbnail = excluded.has_thumbnail,
                created_at = excluded.created_at, modified_at = excluded.modified_at,
                is_doubtful = 0
            """,
            .text(PathKey.make(row.path)), SQLiteValue(fields.type.rawValue), .text(fields.title),
            SQLiteValue(fields.displayOrder), SQLiteValue(fields.topic?.rawValue),
            SQLiteValue(fields.summary), SQLiteValue(fields.customTypeName),
            SQLiteValue(fields.isAssignable), SQLiteValue(fields.suggestedAge.location),
            SQLiteValue(fields.suggestedAge.length),
            SQLiteValue(fields.suggestedCompletionTime.location),
            SQLiteValue(fields.suggestedCompletionTime.length),
            SQLiteValue(fields.universalLinkURL?.absoluteString),
            .text(CapabilityText.write(row.capabilities)),
            .text(row.navigation.map { PathKey.make($0) }.joined(separator: "\n")),
            .text(row.origin), SQLiteValue(row.hasThumbnail),
            .real(row.created.timeIntervalSince1970), .real(row.modified.timeIntervalSince1970))
    }

    /// Deletes the contexts at and below a path.
    func deleteContexts(below path: [String]) throws {
        let key = PathKey.make(path)
        for table in ["context", "thumbnail"] {
            try sql.run(
                "delete from \(table) where path = ?1 or (path > ?1 || '/' and path < ?1 || '0')",
                .text(key))
        }
        try sql.run(
            """
            delete from outbox where kind in ('context', 'thumbnail')
               and (ref = ?1 or (ref > ?1 || '/' and ref < ?1 || '0'))
            """, .text(key))
        // An attempt that is not sent yet still goes up; it is not current anywhere any more.
        try sql.run(
            """
            update activity set is_current = 0
             where is_current and (path = ?1 or (path > ?1 || '/' and path < ?1 || '0'))
            """, .text(key))
    }

    func thumbnail(at path: [String]) throws -> Data? {
        try sql.rows(
            "select image from thumbnail where path = ?", .text(PathKey.make(path)),
            read: { $0.data(0) }
        ).first ?? nil
    }

    func write(_ image: Data?, at path: [String]) throws {
        try sql.run(
            "insert into thumbnail values (?, ?) on conflict (path) do update set image = excluded.image",
            .text(PathKey.make(path)), SQLiteValue(image))
    }
}

/// Capabilities as one text: a line for each, with its kind and its details.
enum CapabilityText {
    static func write(_ capabilities: [CapabilityRow]) -> String {
        capabilities.map { capability in
            guard let details = capability.details else { return "\(capability.kind.rawValue)" }
            let escaped = details.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
            return "\(capability.kind.rawValue) \(escaped)"
        }.joined(separator: "\n")
    }

    static func read(_ text: String) -> [CapabilityRow] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard let number = Int(parts[0]),
                let kind = CLSProgressReportingCapability.Kind(rawValue: number)
            else { return nil }
            return CapabilityRow(kind: kind, details: parts.count > 1 ? unescape(parts[1]) : nil)
        }
    }

    private static func unescape(_ text: Substring) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
