import Postgres

extension Population {
    /// Two handouts were locked for a while, and two were taken back from a student.
    static let handoutPasts: [Statement] = [
        """
        insert into school.handout_lock (organization_id, handout_id, locked_at, unlocked_at)
        select organization_id, handout_id, now() - interval '15 days', now() - interval '14 days'
          from school.handout where title in ('published', 'rivers')
        """,
        """
        insert into school.former_recipient (organization_id, handout_id, person_id, given_at, taken_at)
        select h.organization_id, h.handout_id, test.id(p.name), now() - interval '15 days',
               now() - interval '14 days'
          from (values ('for sam', 'sue'), ('rivers', 'omar')) as p (title, name)
          join school.handout as h on h.title = p.title
        """,
    ]
}
