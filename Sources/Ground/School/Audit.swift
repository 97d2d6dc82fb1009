import JSONBytes
import Postgres
import Values

extension Statement {
    /// Writes an audit event about what the caller does, in the same transaction.
    ///
    /// - Parameters:
    ///   - kind: what was done, such as `denial` or `roleChange`.
    ///   - subject: the id of the record it was done to.
    ///   - details: ids, counts and words only; never names, managed IDs or progress.
    package static func audit(
        _ kind: String, subjectKind: String? = nil, subject: UUID? = nil, details: JSONValue = [:]
    ) -> Statement {
        """
        select school.audit(\(kind), \(subjectKind), \(subject?.description), \(JSONDocument(details.bytes)))
        """
    }
}
