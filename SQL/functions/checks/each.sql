-- The checks of functions/checks/checks.sql, one function each. They take an organization and a class (null: all) and
-- return the ids of their findings.

-- The organization and the directory

create or replace function check_no_administrator(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select $1::text where not exists (
        select from person_role as r
          join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
                          and p.deactivated_at is null
         where r.organization_id = $1 and r.role = 'administrator'
           and (exists (select from credential as c
                         where c.organization_id = p.organization_id and c.person_id = p.person_id
                           and (c.expires_at is null or c.expires_at > moment()))
                or exists (select from sign_in_link as l
                            where l.organization_id = p.organization_id and l.person_id = p.person_id)));
end;

create or replace function check_audit_trail_edited(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select 'seal ' || b.number from broken_audit_seals($1) as b
    union
    select b.event_id::text from broken_audit_events($1) as b;
end;

create or replace function check_audit_trail_cut(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select $1::text where not exists (
        select from audit_event as e
         where e.organization_id = $1 and e.kind = 'organizationChange' and e.standing = 'server'
           and e.subject_id = $1::text and e.details ->> 'change' = 'created')
       and not exists (select from audit_cut as c where c.organization_id = $1);
end;

create or replace function check_class_without_teacher(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select c.class_id::text from class as c
     where c.organization_id = $1 and c.archived_at is null and ($2 is null or c.class_id = $2)
       and not exists (select from seat as s
                         join person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
                        where s.organization_id = $1 and s.class_id = c.class_id and s.role = 'teacher'
                          and is_seated(s)
                          and p.deactivated_at is null);
end;

create or replace function check_class_without_students(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select c.class_id::text from class as c
     where c.organization_id = $1 and c.archived_at is null and ($2 is null or c.class_id = $2)
       and not exists (select from seat as s
                        where s.organization_id = $1 and s.class_id = c.class_id and s.role = 'student'
                          and is_seated(s));
end;

create or replace function check_class_too_large(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select s.class_id::text from open_seats($1, $2) as s
     cross join (select o.class_students_max, o.class_teachers_max from organization as o
                  where o.organization_id = $1) as o
     group by s.class_id, o.class_students_max, o.class_teachers_max
    having count(*) filter (where s.role = 'student') > o.class_students_max
        or count(*) filter (where s.role = 'teacher') > o.class_teachers_max;
end;

create or replace function check_class_after_its_term(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select c.class_id::text from class as c
      join organization as o on o.organization_id = c.organization_id
      join term as t on t.organization_id = c.organization_id and t.term_id = c.term_id
     where c.organization_id = $1 and c.archived_at is null and ($2 is null or c.class_id = $2)
       and t.ends_on <= (moment() at time zone o.time_zone)::date;
end;

-- Signing in

create or replace function check_person_cannot_sign_in(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text from open_seats($1, $2) as s
      join person as p on p.organization_id = $1 and p.person_id = s.person_id and p.deactivated_at is null
     where not exists (select from credential as c
                        where c.organization_id = $1 and c.person_id = s.person_id
                          and (c.expires_at is null or c.expires_at > moment()))
       and not exists (select from sign_in_link as l where l.organization_id = $1 and l.person_id = s.person_id)
       and uses_password($1, s.person_id);
end;

create or replace function check_teacher_never_signed_in(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text from open_seats($1, $2) as s
      join person as p on p.organization_id = $1 and p.person_id = s.person_id and p.deactivated_at is null
     where s.role = 'teacher' and p.first_sign_in_at is null;
end;

create or replace function check_student_never_signed_in(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text from open_seats($1, $2) as s
      join person as p on p.organization_id = $1 and p.person_id = s.person_id and p.deactivated_at is null
     where s.role = 'student' and p.first_sign_in_at is null;
end;

-- Licences: only for apps that the organization bought; an app it never bought may be free. Handouts for chosen
-- students are left out: whom they chose is not for those who read checks.

create or replace function check_student_without_licence(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text from open_seats($1, $2) as s
      join handout as h on h.organization_id = $1 and h.class_id = s.class_id and h.publish_at is not null
                       and h.completed_at is null and h.locked_at is null and h.deleted_at is null
      join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
     where s.role = 'student'
       and exists (select from app as a where a.organization_id = $1 and a.bundle_id = t.bundle_id)
       and h.recipients = 'class'
       and not exists (select from licence as l
                         join app as a on a.organization_id = l.organization_id and a.adam_id = l.adam_id
                        where l.organization_id = $1 and l.person_id = s.person_id
                          and a.bundle_id = t.bundle_id);
end;

-- Overlaps and orphans

create or replace function check_seat_without_role(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text from open_seats($1, $2) as s
     where not exists (select from person_role as r
                        where r.organization_id = $1 and r.person_id = s.person_id and r.role = s.role);
end;

create or replace function check_seat_of_deactivated(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text from open_seats($1, $2) as s
      join person as p on p.organization_id = $1 and p.person_id = s.person_id
     where p.deactivated_at is not null;
end;

create or replace function check_seats_overlap(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct w.person_id::text
      from (select s.person_id, s.joined_at,
                   max(coalesce(s.left_at, 'infinity')) over (
                       partition by s.class_id, s.person_id order by s.joined_at, s.role
                       rows between unbounded preceding and 1 preceding) as taken_until
              from seat as s
             where s.organization_id = $1 and ($2 is null or s.class_id = $2)
               and is_open_seat(s, s.joined_at)) as w
     where w.taken_until > w.joined_at;
end;

-- Of the last thirty days. A seat recorded later than it began counts from when it was recorded.
create or replace function check_unusual_teacher(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text
      from seat as s
     where s.organization_id = $1 and ($2 is null or s.class_id = $2) and s.role = 'teacher'
       and greatest(s.joined_at, s.recorded_at) > moment() - interval '30 days'
       and school.is_unusual_seat(s);
end;

create or replace function check_person_without_role(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select p.person_id::text from person as p
     where p.organization_id = $1 and p.deactivated_at is null
       and not exists (select from person_role as r
                        where r.organization_id = $1 and r.person_id = p.person_id);
end;

create or replace function check_student_without_class(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct r.person_id::text from person_role as r
      join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
                      and p.deactivated_at is null
     where r.organization_id = $1 and r.role = 'student'
       and not exists (select from seat as s
                        where s.organization_id = $1 and s.person_id = r.person_id and s.role = 'student'
                          and is_open_seat(s));
end;

create or replace function check_managed_id_of_nobody(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select d.person_id::text from managed_id_directory as d
     where d.organization_id = $1
       and not exists (select from person as p
                        where p.organization_id = $1 and p.person_id = d.person_id
                          and p.managed_id_key = d.managed_id);
end;

-- Progress, imports, exports

create or replace function check_progress_off(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select o.organization_id::text from organization as o
     where o.organization_id = $1 and not o.is_student_progress_enabled;
end;

create or replace function check_progress_paused(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct s.person_id::text from open_seats($1, $2) as s
      join person as p on p.organization_id = $1 and p.person_id = s.person_id
     where s.role = 'student' and p.is_progress_paused and p.deactivated_at is null;
end;

-- Compares stored figures with their sources. A link must show what its attempt's parts come to (figures_of), its
-- primary item must be the one that they name last, and one row must hold what a student's attempts at a task come to
-- (functions/activities/sums.sql).
create or replace function check_progress_differs(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select distinct l.activity_id::text
      from (select l.*, min(l.started_at) over (
                       partition by l.task_id, l.person_id order by l.started_at
                       range between interval '1 millisecond' following and unbounded following) as next_at
              from school.activity_assignment as l where l.organization_id = $1) as l
     cross join lateral school.figures_of(
               array(select p from school.activity_part as p
                      where p.organization_id = l.organization_id and p.person_id = l.person_id
                        and p.activity_id = l.activity_id and p.task_id = l.task_id), l.next_at) as f
      left join school.activity_item as i on i.organization_id = l.organization_id and i.person_id = l.person_id
                                         and i.activity_id = l.activity_id and i.task_id = l.task_id and i.is_primary
     where (l.is_shown, l.started_at, l.stopped_at, l.modified_at, l.duration_seconds, l.progress, l.part_digest,
            l.kind, l.share, l.quantity, l.positive, l.primary_item::text)
           is distinct from
           (f.is_shown, f.started_at, f.stopped_at, f.modified_at, f.duration_seconds, f.progress, f.part_digest,
            i.kind, school.share_of(i.score, i.max_score), i.quantity, i.value, school.item_document(i)::text)
    union
    select coalesce(l.activity_id, f.latest_activity_id)::text
      from (select l.organization_id, l.task_id, l.person_id, count(*) as attempts,
                   coalesce(sum(l.progress::numeric), 0) as progress_sum, count(l.progress) as progress_count,
                   sum(l.duration_seconds::numeric) as duration_sum, min(l.started_at) as begun_at,
                   (array_agg(l.activity_id order by l.started_at desc, l.activity_id desc))[1] as activity_id
              from school.activity_assignment as l
             where l.organization_id = $1 and l.is_shown
             group by l.organization_id, l.task_id, l.person_id) as s
      join school.activity_assignment as l on l.organization_id = s.organization_id and l.task_id = s.task_id
                                          and l.person_id = s.person_id and l.activity_id = s.activity_id
      full join (select * from school.assignment_figures where organization_id = $1) as f
        on f.organization_id = l.organization_id and f.task_id = l.task_id and f.person_id = l.person_id
     where (s.attempts, s.progress_sum, s.progress_count, s.duration_sum, s.begun_at, l.activity_id, l.started_at,
            l.progress, l.kind, l.share, l.quantity, l.positive, l.primary_item::text)
           is distinct from
           (f.attempts, f.progress_sum, f.progress_count, f.duration_sum, f.begun_at, f.latest_activity_id,
            f.started_at, f.progress, f.kind, f.share, f.quantity, f.positive, f.primary_item::text);
end;

create or replace function check_import_waiting(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select i.import_id::text from import as i
     where i.organization_id = $1
       and (i.status = 'awaitingApproval'
            -- A preview waits as well, until it is approved or a later archive has taken its place.
            or i.status = 'planned' and i.removes_much
               and not exists (select from import as l
                                where l.organization_id = i.organization_id and l.import_id > i.import_id
                                  and l.status in ('planned', 'awaitingApproval', 'succeeded')));
end;

create or replace function check_import_failed(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select l.import_id::text
      from (select i.import_id, i.status from import as i
             where i.organization_id = $1 and i.mode = 'apply' and i.finished_at is not null
             order by i.finished_at desc limit 1) as l
     where l.status = 'failed';
end;

create or replace function check_export_overdue(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select $1::text from export_snapshot as x
     where x.organization_id = $1
    having max(x.taken_at) < moment() - interval '36 hours';
end;

create or replace function check_webhook_failing(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select w.webhook_id::text from webhook as w
     where w.organization_id = $1 and has_failed_long(w);
end;

create or replace function check_webhook_disabled(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select w.webhook_id::text from webhook as w
     where w.organization_id = $1 and w.disabled_because is not null;
end;

create or replace function check_roster_source_failing(uuid, uuid) returns setof text
    language sql stable
begin atomic
    select $1::text from roster_source as s where s.organization_id = $1 and s.is_enabled and is_roster_failing(s);
end;
