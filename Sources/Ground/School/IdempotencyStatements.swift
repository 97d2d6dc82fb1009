import API
import Crypto
import Postgres

extension Statement {
    /// Shortens the lock timeout of the statements that follow, until `waitAsUsual`.
    static var waitBriefly: Statement { "set local lock_timeout = '100ms'" }
    static var waitAsUsual: Statement { "set local lock_timeout to default" }

    /// Claims a key; no row if a call that took effect in the last 24 hours has claimed it. Waits for another
    /// transaction that has claimed it and is still open.
    static func claim(_ call: KeyedCall) -> Statement {
        """
        insert into school.idempotency_key as k (organization_id, caller, route, key, request_digest)
        values (\(call.caller.organizationID), school.my_caller(), \(call.route), \(call.key.text),
                \(call.digest.bytes))
        on conflict on constraint idempotency_key_pkey do update
           set request_digest = excluded.request_digest, expires_at = excluded.expires_at,
               status = null, headers = null, body = null, sight = null
         where k.expires_at <= school.moment()
        returning true as is_claimed
        """
    }

    /// What the first call with a key said, how it was answered, and whether the caller may still see what it saw
    /// then.
    static func keptAnswer(to call: KeyedCall) -> Statement {
        """
        select request_digest, status, headers, body,
               coalesce(sight = school.my_sight(), false) as is_in_sight
          from school.idempotency_key
         where organization_id = \(call.caller.organizationID) and caller = school.my_caller()
           and route = \(call.route) and key = \(call.key.text)
        """
    }

    /// Completes a claimed key.
    static func keep(_ answer: KeptAnswer, to call: KeyedCall) -> Statement {
        """
        update school.idempotency_key
           set status = \(answer.status), headers = \(answer.headerTexts), body = \(answer.body),
               sight = school.my_sight()
         where organization_id = \(call.caller.organizationID) and caller = school.my_caller()
           and route = \(call.route) and key = \(call.key.text)
        """
    }
}
