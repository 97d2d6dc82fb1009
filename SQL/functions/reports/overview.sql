-- Functions of the overview: what a teacher has to look at, in all classes at once.

-- teaching_overview: published handouts of the open classes that the caller teaches now, neither completed nor
-- archived, in three lists of at most 100: due from now to the end of the sixth day after today; due in the past,
-- while a student who has it is not done; and those with work to review or comments to read. Reading a report must not
-- write, so that to review is what a student did in the last seven days, that no teacher gave back since, and that the
-- caller has not marked as looked at; to read is what a student wrote and the caller has not marked as read.
create or replace function teaching_overview()
    returns table (generated_at timestamptz, due_this_week json, late json, to_review json)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    week_ends    constant timestamptz := (
        select day_begins((moment() at time zone o.time_zone)::date + 7) from organization as o
         where o.organization_id = organization);
    open_ids     constant uuid[] := array(
        select h.handout_id
          from handout as h
          join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
         where h.organization_id = organization and h.publish_at <= moment() and h.completed_at is null
           and h.archived_at is null and c.archived_at is null);
begin
    return query
    with recent as materialized (
        select u.handout_id, u.person_id, max(u.done_at) as last_done_at
          from unreviewed(open_ids) as u
         where u.done_at >= moment() - interval '7 days'
         group by u.handout_id, u.person_id
    ), work as materialized (
        select r.handout_id, count(*)::integer as students, max(r.last_done_at) as last_done_at
          from recent as r
         where (r.handout_id, r.person_id) in (
                   select s.handout_id, s.person_id from handout_seats(open_ids) as s)
         group by r.handout_id
    ), talk as materialized (
        select n.handout_id, count(*)::integer as students, max(n.last_at) as last_comment_at
          from new_comments(open_ids) as n
         where (n.handout_id, n.person_id) in (
                   select s.handout_id, s.person_id from handout_seats(open_ids) as s)
         group by n.handout_id
    ), shown as materialized (
        select h.handout_id, h.due_at, n.assigned > n.done as is_unfinished,
               greatest(w.last_done_at, k.last_comment_at) as last_at,
               json_build_object(
                   'id', h.handout_id, 'title', h.title, 'classId', c.class_id, 'className', c.name,
                   'publishAt', rfc3339(h.publish_at), 'dueAt', rfc3339(h.due_at),
                   'locked', h.locked_at is not null,
                   'counts', json_build_object('assigned', n.assigned, 'done', n.done, 'late', n.late,
                                               'overdue', n.overdue),
                   'studentsToReview', coalesce(w.students, 0), 'lastDoneAt', rfc3339(w.last_done_at),
                   'workDigest', d.digest,
                   'studentsWithNewComments', coalesce(k.students, 0),
                   'lastCommentAt', rfc3339(k.last_comment_at)) as document
          from handout_counts(open_ids) as n
          join handout as h   on h.organization_id = organization and h.handout_id = n.handout_id
          join class as c     on c.organization_id = h.organization_id and c.class_id = h.class_id
          left join work as w on w.handout_id = h.handout_id
          left join talk as k on k.handout_id = h.handout_id
          left join work_to_review(open_ids, moment()) as d on d.handout_id = h.handout_id
    )
    select moment(),
           (select coalesce(json_agg(l.document order by l.due_at, l.handout_id), '[]')
              from (select * from shown as s where s.due_at >= moment() and s.due_at < week_ends
                     order by s.due_at, s.handout_id limit 100) as l),
           (select coalesce(json_agg(l.document order by l.due_at desc, l.handout_id), '[]')
              from (select * from shown as s where s.due_at < moment() and s.is_unfinished
                     order by s.due_at desc, s.handout_id limit 100) as l),
           (select coalesce(json_agg(l.document order by l.last_at desc, l.handout_id), '[]')
              from (select * from shown as s where s.last_at is not null
                     order by s.last_at desc, s.handout_id limit 100) as l);
end $$;
grant execute on function teaching_overview() to school_teacher;
