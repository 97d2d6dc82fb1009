import Exports
import Postgres
import School
import Values

/// A restored database, and what has to happen before anyone uses it.
struct RestoredDatabase {
    /// How the seals that were noted elsewhere compare with the restored audit trails.
    struct Comparison {
        var found = 0
        /// The trail ends before it.
        var missing: [NotedSeal] = []
        /// The trail is another one.
        var different: [NotedSeal] = []
        /// The backup does not have the organization.
        var unknown: [NotedSeal] = []
    }

    /// As the owner of the schema.
    let owner: BlockingConnection

    /// - Parameter owner: a session of the superuser, which becomes the owner of the schema.
    init(_ owner: BlockingConnection) throws {
        self.owner = owner
        // What the restore wrote for itself; an operator's own settings stay.
        try owner.execute("alter system reset restore_command")
        try owner.execute("alter system reset recovery_target_time")
        try owner.execute("alter system reset recovery_target_action")
        try owner.execute("set role school_owner")
    }

    /// Ends every sign-in and revokes every token: those that ended since the backup would be valid again.
    func endSignIns() throws -> (sessions: Int, tokens: Int) {
        let row = try owner.query("select sessions, tokens from school.end_all_sign_ins()")[0]
        return (try row.int("sessions"), try row.int("tokens"))
    }

    /// Gives every organization that is to be deleted thirty days again: the restore may have been made for its sake.
    func postponeDeletions() throws -> [(
        organizationID: OrganizationID, name: String, due: Timestamp
    )] {
        try owner.query("select organization_id, name, due_at from school.postpone_deletions()").map
        {
            (
                OrganizationID(try $0.uuid("organization_id")), try $0.text("name"),
                try $0.timestamp("due_at")
            )
        }
    }

    func compare(_ seals: [String]) throws -> Comparison {
        var comparison = Comparison()
        for seal in try Set(seals).sorted().map(NotedSeal.init) {
            switch try seal.outcome(owner) {
            case "found", "removed": comparison.found += 1
            case "missing": comparison.missing.append(seal)
            case "different": comparison.different.append(seal)
            default: comparison.unknown.append(seal)
            }
        }
        return comparison
    }
}
