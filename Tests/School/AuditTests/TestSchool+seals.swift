import Postgres
import School
import TestKit

extension TestSchool {
    /// An event about a subject, from an address.
    func event(_ subject: String) -> Statement {
        """
        select school.write_audit_event(\(hillside), 'denial', 'teacher', \(id(.tom)), null, '192.0.2.7',
                                        'test', \(subject), '{"code": "forbidden"}')
        """
    }

    func leaveEvent(_ subject: String) throws {
        try sql(event(subject))
    }

    /// Seals as the server's login; returns whether there may be more.
    @discardableResult
    func seal(limit: Int = 1000) throws -> Bool {
        let connection = try BlockingConnection(ownerURL)
        return try connection.query(
            "select school.seal_audit_events(\(hillside), \(limit)::integer) as is_more",
            as: Identity(role: "school_server"))[0].bool("is_more")
    }

    /// What verification finds, each with the number of the seal.
    func findings() throws -> [String] {
        try sql(
            """
            select concat_ws(' ', finding, number) as said from school.broken_audit_seals(\(hillside))
            union all
            select concat_ws(' ', finding, number) from school.broken_audit_events(\(hillside))
            """
        ).map { try $0.text("said") }
    }
}
