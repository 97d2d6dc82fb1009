import Crypto
import JSONBytes
import School
import Values

/// A statement of xAPI (1.0.3 part 2 section 2), as far as it matters here.
struct LearningStatement {
    let id: UUID
    /// Of its content; another statement with the same id has another one.
    let digest: SHA256Digest
    /// The name of the account that it calls its actor.
    let actor: String
    /// What it reports of an attempt, in the shape of an activity; `nil` if it is not about a context of the app.
    let part: JSONValue?

    /// Writes what the database reads.
    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.uuid(id)
        writer.key("digest")
        writer.text(digest.description)
        writer.key("actor")
        writer.text(actor)
        if let part {
            writer.key("part")
            part.write(into: &writer)
        }
        writer.endObject()
    }
}

/// What makes two statements the same (xAPI 1.0.3 part 2 section 2.3.1).
enum StatementContent {
    /// The digest of all that a statement says, together with its id, so that equal contents under different ids cannot
    /// be recognised. What a server may set or change does not count, nor how it is written: white space, order of
    /// members, forms of numbers.
    static func digest(of statement: JSONObject, id: UUID) -> SHA256Digest {
        var statement = statement
        for name in ["id", "stored", "authority", "version"] { statement[name] = nil }
        for (name, part) in [("verb", "display"), ("object", "definition")] {
            guard var object = statement[name]?.object else { continue }
            object[part] = nil
            statement[name] = .object(object)
        }
        var writer = JSONWriter()
        writer.beginArray()
        writer.uuid(id)
        write(.object(statement), into: &writer)
        writer.endArray()
        return SHA256.digest(writer.bytes)
    }

    private static func write(_ value: JSONValue, into writer: inout JSONWriter) {
        switch value {
        case .object(let object):
            writer.beginObject()
            let members = object.members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            for member in members {
                writer.key(member.key)
                write(member.value, into: &writer)
            }
            writer.endObject()
        case .array(let values):
            writer.beginArray()
            for value in values { write(value, into: &writer) }
            writer.endArray()
        case .number(let number): writer.double(number.double)
        default: value.write(into: &writer)
        }
    }
}
