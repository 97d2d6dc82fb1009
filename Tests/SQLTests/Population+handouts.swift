import Postgres

extension Population {
    /// Two handouts were locked for a while.
    static let handoutLocks: [Statement] = [
        """
        insert into school.handout_lock (organization_id, handout_id, locked_at, unlocked_at)
        select organization_id, handout_id, now() - interval '15 days', now() - interval '14 days'
          from school.handout where title in ('published', 'rivers')
        """
    ]
}
