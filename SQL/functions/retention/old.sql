-- Functions of what is old: what the rules of retention no longer keep, unless a hold does.

-- aged_handouts (internal): handouts of classes whose term was closed before the given moment.
create or replace function aged_handouts(p_organization_id uuid, p_before timestamptz)
    returns table (handout_id uuid, class_id uuid)
    language sql stable
begin atomic
    select h.handout_id, h.class_id from handout as h
      join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id and c.archived_at < p_before
      join term as t on t.organization_id = c.organization_id and t.term_id = c.term_id and t.closed_at < p_before
     where h.organization_id = p_organization_id;
end;

-- old_handouts (internal): those of them that no hold keeps.
create or replace function old_handouts(p_organization_id uuid, p_before timestamptz) returns setof uuid
    language sql stable
begin atomic
    select h.handout_id from aged_handouts(p_organization_id, p_before) as h
     where h.class_id not in (select k from held_classes(p_organization_id) as k);
end;

-- aged_grades (internal): grades whose day is older: the day of the score, but none after the grade came, so that a
-- score of the far future does not stay for good. A score that comes again with its old day goes again.
create or replace function aged_grades(p_organization_id uuid, p_before timestamptz)
    returns table (grade_id uuid, person_id uuid, class_id uuid)
    language sql stable
begin atomic
    select g.grade_id, g.person_id, g.class_id from grade as g
     where g.organization_id = p_organization_id and g.deleted_at is null
       and least(g.scored_on, (g.created_at at time zone 'UTC')::date) < (
               select (p_before at time zone o.time_zone)::date from organization as o
                where o.organization_id = p_organization_id);
end;

-- old_grades (internal): those of them that no hold keeps.
create or replace function old_grades(p_organization_id uuid, p_before timestamptz) returns setof uuid
    language sql stable
begin atomic
    select g.grade_id from aged_grades(p_organization_id, p_before) as g
     where g.person_id not in (select h from held_people(p_organization_id) as h)
       and g.class_id not in (select k.class_id from retention_hold as k
                               where k.organization_id = p_organization_id and k.class_id is not null);
end;

-- held_events_begin (internal): when the first event about a held person or class arrived; null if there is none.
create or replace function held_events_begin(p_organization_id uuid) returns timestamptz
    language sql stable
begin atomic
    select min(e.arrived_at)::timestamptz
      from retention_hold as k
      join audit_event as e
        on e.organization_id = k.organization_id
       and (e.person_id = k.person_id or e.subject_id = coalesce(k.person_id, k.class_id)::text
            or e.kind = 'rosterChange'
               and (e.details -> 'joined' ? k.person_id::text or e.details -> 'left' ? k.person_id::text))
     where k.organization_id = p_organization_id;
end;

-- old_seals (internal): the seals at the beginning of an audit trail whose events are all older, and before every
-- event about a held person or class, with the number of their events. Neither the seal that the last cut kept nor the
-- newest seal is among them: the chain continues from it. A seal that was made while the clock was ahead is as old as
-- the one after it.
create or replace function old_seals(p_organization_id uuid, p_before timestamptz)
    returns table (number bigint, events integer)
    language sql stable
begin atomic
    select s.number, cardinality(s.event_ids)
      from audit_seal as s
     where s.organization_id = p_organization_id
       and s.number > coalesce((select c.number from audit_cut as c where c.organization_id = p_organization_id), 0)
       and s.number < (select max(l.number) from audit_seal as l where l.organization_id = p_organization_id)
       and s.number < coalesce((
           select min(n.number) from audit_seal as n
            where n.organization_id = p_organization_id
              and (n.last_arrived_at >= held_events_begin(p_organization_id)
                   or least(n.last_arrived_at, n.sealed_at) >= p_before and n.sealed_at <= moment())), s.number + 1)
     order by s.number;
end;

-- old_viewings (internal): viewings of earlier days that no hold keeps, oldest first.
create or replace function old_viewings(p_organization_id uuid, p_before timestamptz) returns setof uuid
    language sql stable
begin atomic
    select v.viewing_id from viewing as v join organization as o on o.organization_id = v.organization_id
     where v.organization_id = p_organization_id and v.viewed_on < (p_before at time zone o.time_zone)::date
       and not exists (select from retention_hold as k
                        where k.organization_id = v.organization_id
                          and (k.class_id = v.class_id or k.person_id in (v.student_id, v.reader_id)
                               or v.student_id is null and exists (
                                   select from seat as s
                                    where s.organization_id = v.organization_id and s.class_id = v.class_id
                                      and s.person_id = k.person_id)))
     order by v.viewed_on;
end;
