-- Functions of OneRoster's gradebook: its collections as tables, with the rights of the caller. They have the columns
-- of every record (collections.sql), and is_own: whether the caller wrote it. What others wrote has our id as its
-- sourcedId, and so have the tasks of handouts.

-- gradebook_id: the sourcedId of a row: its writer's own id for the writer, otherwise ours.
create or replace function gradebook_id(p_service_account_id uuid, p_source_id text, p_id uuid) returns text
    language sql stable parallel safe
    return case when p_service_account_id = my_service_account() then coalesce(p_source_id, p_id::text)
                else p_id::text end;

-- default_category: the sourcedId of the category of everything that names none: OneRoster requires one.
create or replace function default_category() returns text
    language sql immutable parallel safe
    return 'default-category';

-- oneroster_categories: the default one, and those of other systems.
create or replace function oneroster_categories()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   is_own boolean, title text, weight double precision, more jsonb)
    language sql stable
begin atomic
    select default_category(), null::uuid, default_category(), true, 'active', o.updated_at::timestamptz, false,
           'General', null::double precision, null::jsonb
      from organization as o
     where o.organization_id = my_organization()
    union all
    select case when c.service_account_id = my_service_account() then c.source_id end, c.gradebook_category_id,
           gradebook_id(c.service_account_id, c.source_id, c.gradebook_category_id), c.deleted_at is null,
           oneroster_status(c.deleted_at is null), c.updated_at::timestamptz,
           c.service_account_id = my_service_account(), c.title, c.weight, c.more
      from gradebook_category as c
     where c.organization_id = my_organization();
end;

-- oneroster_score_scales: those of other systems.
create or replace function oneroster_score_scales()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   is_own boolean, title text, kind text, class text, school text, course text, entries jsonb,
                   more jsonb)
    language sql stable
begin atomic
    select case when s.service_account_id = my_service_account() then s.source_id end, s.gradebook_scale_id,
           gradebook_id(s.service_account_id, s.source_id, s.gradebook_scale_id), s.deleted_at is null,
           oneroster_status(s.deleted_at is null), greatest(s.updated_at, c.updated_at)::timestamptz,
           s.service_account_id = my_service_account(), s.title, s.kind, oneroster_id(c.source_id, c.class_id),
           oneroster_id(l.source_id, l.location_id),
           case when k.course_id is null then oneroster_course_of_class(c.class_id)
                else oneroster_id(k.source_id, k.course_id) end, s.entries, s.more
      from gradebook_scale as s
      join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
      left join course as k on k.organization_id = c.organization_id and k.course_id = c.course_id
     where s.organization_id = my_organization();
end;

-- oneroster_line_items: what other systems grade, and the tasks of handouts, which are worth 100 points. A task is in
-- the term of its class, as OneRoster 1.1 wants a grading period.
--
-- An item changes with its category and its scale, which it shows until they are removed, and with its class and its
-- term, whose sourcedIds it names; a task also changes when its handout is published.
create or replace function oneroster_line_items()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   is_own boolean, title text, description text, assigned_at timestamptz, due_at timestamptz,
                   class text, school text, category text, session text, scale text, value_min double precision,
                   value_max double precision, more jsonb)
    language sql stable
begin atomic
    select case when i.service_account_id = my_service_account() then i.source_id end, i.gradebook_item_id,
           gradebook_id(i.service_account_id, i.source_id, i.gradebook_item_id), i.deleted_at is null,
           oneroster_status(i.deleted_at is null),
           greatest(i.updated_at, g.updated_at, s.updated_at, c.updated_at, t.updated_at)::timestamptz,
           i.service_account_id = my_service_account(), i.title, i.description, i.assigned_at::timestamptz,
           i.due_at::timestamptz, oneroster_id(c.source_id, c.class_id), oneroster_id(l.source_id, l.location_id),
           case when g.deleted_at is null and g.gradebook_category_id is not null
                then gradebook_id(g.service_account_id, g.source_id, g.gradebook_category_id)
                else default_category() end,
           case when t.term_id is not null then oneroster_id(t.source_id, t.term_id) end,
           case when s.deleted_at is null and s.gradebook_scale_id is not null
                then gradebook_id(s.service_account_id, s.source_id, s.gradebook_scale_id) end,
           i.value_min, i.value_max, i.more
      from gradebook_item as i
      join class as c on c.organization_id = i.organization_id and c.class_id = i.class_id
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
      left join gradebook_category as g on g.organization_id = i.organization_id
            and g.gradebook_category_id = i.gradebook_category_id
      left join gradebook_scale as s on s.organization_id = i.organization_id
            and s.gradebook_scale_id = i.gradebook_scale_id
      left join term as t on t.organization_id = i.organization_id and t.term_id = i.term_id
     where i.organization_id = my_organization()
    union all
    select null, t.task_id, t.task_id::text, true, 'active',
           greatest(h.publish_at, h.updated_at, t.updated_at, c.updated_at)::timestamptz, false,
           case when t.title = h.title then h.title else h.title || ': ' || t.title end, null,
           h.publish_at::timestamptz, coalesce(h.due_at, h.publish_at)::timestamptz,
           oneroster_id(c.source_id, c.class_id), oneroster_id(l.source_id, l.location_id), default_category(),
           case when m.term_id is not null then oneroster_id(m.source_id, m.term_id) end,
           null, 0, 100, null
      from task as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
      left join term as m on m.organization_id = c.organization_id and m.term_id = c.term_id
     where t.organization_id = my_organization();
end;

-- oneroster_score (internal): what an attempt came to, out of 100; null without a score.
create or replace function oneroster_score(p_share double precision, p_positive boolean) returns double precision
    language sql immutable parallel safe
    return round((coalesce(p_share, p_positive::integer) * 100)::numeric, 2)::double precision;

-- oneroster_results: the grades of other systems, and what came of the tasks of handouts: for each student who began
-- one the latest attempt, out of 100. A grade that was removed has the day of its removal. A result names student and
-- class by their sourcedIds, and changes with both.
--
-- Not with a full join: of its keys, which come from one side or the other, PostgreSQL has no statistics, and it joined
-- everything with everything.
create or replace function oneroster_results()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   is_own boolean, task_id uuid, person_id uuid, class_id uuid, line_item text, student text,
                   class text, scale text, score_status text, score double precision, text_score text, scored_on date,
                   comment text, is_in_progress text, is_incomplete text, is_late text, is_missing text, more jsonb)
    language sql stable
begin atomic
    select case when g.service_account_id = my_service_account() then g.source_id end, g.grade_id,
           gradebook_id(g.service_account_id, g.source_id, g.grade_id), g.deleted_at is null,
           oneroster_status(g.deleted_at is null),
           greatest(g.updated_at, s.updated_at, p.updated_at, c.updated_at)::timestamptz,
           g.service_account_id = my_service_account(), null::uuid, g.person_id, g.class_id,
           gradebook_id(i.service_account_id, i.source_id, i.gradebook_item_id),
           oneroster_id(p.source_id, p.person_id), oneroster_id(c.source_id, c.class_id),
           case when s.deleted_at is null and s.gradebook_scale_id is not null
                then gradebook_id(s.service_account_id, s.source_id, s.gradebook_scale_id) end,
           g.status, g.score, g.text_score, coalesce((g.deleted_at at time zone 'UTC')::date, g.scored_on),
           g.comment, g.is_in_progress::text, g.is_incomplete::text, g.is_late::text, g.is_missing::text, g.more
      from grade as g
      join gradebook_item as i on i.organization_id = g.organization_id and i.gradebook_item_id = g.gradebook_item_id
      join person as p on p.organization_id = g.organization_id and p.person_id = g.person_id
      join class as c on c.organization_id = g.organization_id and c.class_id = g.class_id
      left join gradebook_scale as s on s.organization_id = g.organization_id
            and s.gradebook_scale_id = g.gradebook_scale_id
     where g.organization_id = my_organization()
    union all
    select null, null, w.task_id || '_' || w.person_id, true, 'active',
           greatest(w.changed_at, l.updated_at, h.updated_at, h.publish_at, p.updated_at, c.updated_at)::timestamptz,
           false, w.task_id, w.person_id, c.class_id, w.task_id::text, oneroster_id(p.source_id, p.person_id),
           oneroster_id(c.source_id, c.class_id), null,
           case when w.score is not null and w.done_at is not null then 'fully graded'
                when w.score is not null                           then 'partially graded'
                when w.done_at is not null                         then 'submitted'
                else 'not submitted' end,
           w.score, w.text_score, (coalesce(w.done_at, w.started_at, w.changed_at) at time zone 'UTC')::date, null,
           (w.done_at is null)::text, null, case when w.done_at is not null
                    then (w.done_at > h.due_at and not exists (
                             select from joined_after_due(array[h.handout_id]) as j
                              where j.person_id = w.person_id))::text end, null, null
      from (select a.organization_id, a.task_id, a.person_id, a.done_at, a.updated_at as changed_at, f.started_at,
                   f.latest_activity_id, oneroster_score(f.share, f.positive) as score, f.quantity::text as text_score
              from assignment as a
              left join assignment_figures as f on f.organization_id = a.organization_id and f.task_id = a.task_id
                    and f.person_id = a.person_id
            union all
            select f.organization_id, f.task_id, f.person_id, null, null, f.started_at, f.latest_activity_id,
                   oneroster_score(f.share, f.positive), f.quantity::text
              from assignment_figures as f
             where not exists (
                   select from assignment as a
                    where a.organization_id = f.organization_id and a.task_id = f.task_id
                      and a.person_id = f.person_id)) as w
      join task as t on t.organization_id = w.organization_id and t.task_id = w.task_id
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
      join person as p on p.organization_id = w.organization_id and p.person_id = w.person_id
      left join activity_assignment as l on l.organization_id = w.organization_id and l.person_id = w.person_id
            and l.activity_id = w.latest_activity_id and l.task_id = w.task_id
     where w.organization_id = my_organization();
end;

grant execute on function gradebook_id(uuid, text, uuid), default_category(), oneroster_categories(),
    oneroster_score_scales(), oneroster_score(double precision, boolean), oneroster_line_items(), oneroster_results()
    to school_roster_reader;
