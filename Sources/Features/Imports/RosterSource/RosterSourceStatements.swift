import API
import Crypto
import JSONBytes
import Postgres
import School
import Values

/// What a client secret belongs to: nobody can have it sent elsewhere by changing the row.
struct RosterIdentity: Sendable, Equatable {
    let organizationID: OrganizationID
    let url: String
    let tokenURL: String
    let clientID: String

    var context: [UInt8] {
        Array(
            [organizationID.uuid.description, url, tokenURL, clientID].joined(separator: "\n").utf8)
    }
}

extension Statement {
    // MARK: Calls

    static func rosterSource(of caller: Caller) -> Statement {
        """
        select s.url, s.token_url, s.client_id, s.pull_time, s.is_enabled as enabled,
               case when s.claimed_until > school.moment() then 'running' when s.ordered_at is not null then 'waiting'
                    else 'resting' end as status,
               s.next_pull_at, s.started_at, s.finished_at,
               case when s.failure is not null
                    then json_build_object('code', s.failure, 'text', s.failure_detail) end as failure,
               s.failing_since,
               (select json_build_object('id', i.import_id, 'status', i.status,
                                         'createdAt', school.rfc3339(i.created_at))
                  from school.import as i
                 where i.organization_id = s.organization_id and i.import_id = s.last_import_id) as last_import,
               s.created_at, s.updated_at
          from school.roster_source as s
         where s.organization_id = \(caller.organizationID)
        """
    }

    static func lockRosterSource(of caller: Caller) -> Statement {
        """
        select url, token_url, client_id from school.roster_source
         where organization_id = \(caller.organizationID) for update
        """
    }

    /// Of two that add the first source, the second one replaces it by `replaceRosterSource`: nobody may read the secret
    /// that an insert would have to repeat.
    static func addRosterSource(_ source: RosterIdentity, _ secret: SealedSecret) -> Statement {
        """
        insert into school.roster_source
               (organization_id, url, token_url, client_id, sealed_secret, key_id)
        values (\(source.organizationID), \(source.url), \(source.tokenURL), \(source.clientID), \(secret.bytes),
                \(secret.keyID))
            on conflict (organization_id) do nothing
        """
    }

    static func replaceRosterSource(
        by source: RosterIdentity, _ secret: SealedSecret, pullTime: String, isEnabled: Bool
    ) -> Statement {
        """
        update school.roster_source
           set url = \(source.url), token_url = \(source.tokenURL), client_id = \(source.clientID),
               sealed_secret = \(secret.bytes), key_id = \(secret.keyID), pull_time = \(pullTime),
               is_enabled = \(isEnabled)
         where organization_id = \(source.organizationID)
        """
    }

    static func arrangeRosterPulls(
        at pullTime: String, isEnabled: Bool, of caller: Caller
    ) -> Statement {
        """
        update school.roster_source set pull_time = \(pullTime), is_enabled = \(isEnabled)
         where organization_id = \(caller.organizationID)
        """
    }

    static func removeRosterSource(of caller: Caller) -> Statement {
        """
        delete from school.roster_source where organization_id = \(caller.organizationID) returning organization_id
        """
    }

    static func orderRosterPull() -> Statement {
        "select school.order_roster_pull() as is_ordered"
    }

    static func auditRosterSource(_ change: String) -> Statement {
        .audit(
            "rosterSourceChange", subjectKind: "rosterSource", details: ["change": .text(change)])
    }

    static func auditRosterPullOrder() -> Statement {
        .audit("rosterPull", subjectKind: "rosterSource", details: ["result": "ordered"])
    }

    // MARK: Pulls

    /// - Parameter keyID: of the key that this process has; empty if it has none.
    static func hasDueRosterPull(_ keyID: String) -> Statement {
        "select school.has_due_roster_pull(\(keyID)) as is_due"
    }

    static func claimRosterPull(_ keyID: String, failing: Int) -> Statement {
        """
        select organization_id, claim_id, url, token_url, client_id, sealed_secret
          from school.claim_roster_pull(\(keyID), \(Int32(failing)))
        """
    }

    static func renew(_ pull: ClaimedRosterPull) -> Statement {
        "select school.renew_roster_pull(\(pull.source.organizationID), \(pull.claimID)) as is_own"
    }

    static func finish(_ pull: ClaimedRosterPull, with importID: ImportID) -> Statement {
        """
        select school.finish_roster_pull(\(pull.source.organizationID), \(pull.claimID), \(importID)) as is_own
        """
    }

    static func fail(_ pull: ClaimedRosterPull, _ failure: RosterFailure) -> Statement {
        """
        select school.fail_roster_pull(
                   \(pull.source.organizationID), \(pull.claimID), \(failure.code.rawValue),
                   \(printable(failure.detail)), \(failure.mayPass), \(failure.retryAfter.map { Int32(clamping: $0) }))
        """
    }

    /// The text without control characters, which a provider may have put into an ID.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? "?" : $0 }))
    }
}
