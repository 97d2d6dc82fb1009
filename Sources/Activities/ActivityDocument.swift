import JSONBytes
import School

/// The activities as the database reads them: every number and time in one spelling.
///
/// Two uploads of the same part are then the same to the last character, and no number reaches PostgreSQL that
/// it cannot hold (a literal may be longer than a double can tell).
enum ActivityDocument {
    static func make(_ activities: [Fields]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for activity in activities { write(activity, into: &writer) }
        writer.endArray()
        return writer.bytes
    }

    private static func write(_ activity: Fields, into writer: inout JSONWriter) {
        writer.beginObject()
        if let id = activity.uuid("id") {
            writer.key("id")
            writer.uuid(id)
        }
        writer.key("identifierPath")
        writer.beginArray()
        for identifier in activity.texts("identifierPath") ?? [] { writer.text(identifier) }
        writer.endArray()
        for name in ["startedAt", "stoppedAt", "modifiedAt"] {
            guard let moment = activity.timestamp(name) else { continue }
            writer.key(name)
            writer.timestamp(moment)
        }
        writer.key("durationSeconds")
        writer.double(activity.number("durationSeconds") ?? 0)
        writer.key("progressRanges")
        writer.beginArray()
        for range in activity.list("progressRanges") ?? [] {
            writer.beginArray()
            for bound in range.array ?? [] { writer.double(bound.double ?? 0) }
            writer.endArray()
        }
        writer.endArray()
        if let primary = activity.fields("primaryItem") {
            writer.key("primaryItem")
            writeItem(primary, into: &writer)
        }
        writer.key("additionalItems")
        writer.beginArray()
        for item in activity.objects("additionalItems") ?? [] { writeItem(item, into: &writer) }
        writer.endArray()
        writer.endObject()
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
