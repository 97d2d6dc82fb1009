import API
import JSONBytes
import Values

/// The activities as the database reads them, with one spelling for every number and time.
///
/// Two uploads of the same part are therefore equal to the last character, and PostgreSQL never gets a number it
/// cannot hold (a literal may have more digits than a double can represent).
enum ActivityDocument {
    static func make(_ upload: Upload) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for part in upload.parts { write(part, sentAt: upload.sentAt, into: &writer) }
        writer.endArray()
        return writer.bytes
    }

    private static func write(
        _ part: ActivityPart, sentAt: Timestamp?, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        write(sentAt, as: "sentAt", into: &writer)
        if let id = part.id {
            writer.key("id")
            writer.uuid(id)
        }
        writer.key("identifierPath")
        writer.beginArray()
        for identifier in part.identifierPath { writer.text(identifier) }
        writer.endArray()
        write(part.startedAt, as: "startedAt", into: &writer)
        write(part.stoppedAt, as: "stoppedAt", into: &writer)
        write(part.modifiedAt, as: "modifiedAt", into: &writer)
        writer.key("durationSeconds")
        writer.double(part.durationSeconds)
        writer.key("progressRanges")
        writer.beginArray()
        for range in part.progressRanges {
            writer.beginArray()
            writer.double(range.start)
            writer.double(range.end)
            writer.endArray()
        }
        writer.endArray()
        if let primary = part.primaryItem {
            writer.key("primaryItem")
            writeItem(primary, into: &writer)
        }
        writer.key("additionalItems")
        writer.beginArray()
        for item in part.additionalItems { writeItem(item, into: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ moment: Timestamp?, as name: String, into writer: inout JSONWriter)
    {
        guard let moment else { return }
        writer.key(name)
        writer.timestamp(moment)
    }

    private static func writeItem(_ item: Fields, into writer: inout JSONWriter) {
        writer.beginObject()
        for name in ["kind", "identifier", "title", "valueType"] {
            guard let text = item.text(name) else { continue }
            writer.key(name)
            writer.text(text)
        }
        for name in ["score", "maxScore", "quantity"] {
            guard let number = item.number(name) else { continue }
            writer.key(name)
            writer.double(number)
        }
        if let value = item.boolean("value") {
            writer.key("value")
            writer.bool(value)
        }
        writer.endObject()
    }
}
