-- Functions of OneRoster: its collections as tables, with the rights of the caller. Each begins with the columns of
-- every record:
--
--   source_id, id   what finds the record by its sourcedId
--   sourced_id      how OneRoster names it
--   is_active       whether it is in the roster now
--   status          tobedeleted: it has left the roster
--   changed_at      when the record or one of its relations changed, or the passing of time changed it
--
-- After those of the directory come the records that are no longer in it (tombstones.sql), with what the standard
-- demands of each.
-- PostgreSQL inlines them: conditions of the caller reach the tables, and columns that are not read cost nothing.

-- oneroster_orgs: the organization as the district, and its locations as schools. The district lists them, so it
-- changes with each of them, and when one leaves.
create or replace function oneroster_orgs()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   name text, kind text, parent text, children text[])
    language sql stable
begin atomic
    select null, o.organization_id, o.organization_id::text, true, 'active',
           greatest(o.updated_at,
                    (select max(l.updated_at) from location as l where l.organization_id = o.organization_id),
                    (select max(t.left_at) from roster_tombstone as t
                      where t.organization_id = o.organization_id and t.kind = 'org'))::timestamptz, o.name,
           'district', null, array(select oneroster_id(l.source_id, l.location_id) from location as l
                        where l.organization_id = o.organization_id order by l.location_id)
      from organization as o
     where o.organization_id = my_organization()
    union all
    select l.source_id, l.location_id, oneroster_id(l.source_id, l.location_id), true, 'active',
           l.updated_at::timestamptz, l.name, 'school', l.organization_id::text, '{}'
      from location as l
     where l.organization_id = my_organization()
    union all
    select t.sourced_id, null, t.sourced_id, false, 'tobedeleted', t.left_at::timestamptz,
           coalesce(t.kept ->> 'title', '-'), 'school', null, '{}'
      from roster_tombstone as t
     where t.organization_id = my_organization() and t.kind = 'org';
end;

-- oneroster_sessions: terms, and this year where a class has none. The school year is named after the year in which
-- the largest term around it ends. A term lists its parts and is named after those around it, so it changes with both;
-- when a part leaves it, bump_former_terms() says so. Whether this year is needed may change with any class.
create or replace function oneroster_sessions()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   title text, kind text, starts_on date, ends_on date, parent text, children text[], school_year text,
                   ancestors text[])
    language sql stable
begin atomic
    select t.source_id, t.term_id, oneroster_id(t.source_id, t.term_id), t.closed_at is null,
           oneroster_status(t.closed_at is null),
           greatest(t.updated_at, a.updated_at, b.updated_at, c.updated_at,
                    (select max(k.updated_at) from term as k
                      where k.organization_id = t.organization_id and k.parent_id = t.term_id))::timestamptz,
           t.name, t.kind, t.starts_on, t.ends_on,
           case when a.term_id is not null then oneroster_id(a.source_id, a.term_id) end,
           array(select oneroster_id(c.source_id, c.term_id) from term as c
                  where c.organization_id = t.organization_id and c.parent_id = t.term_id order by c.term_id),
           extract(year from coalesce(c.ends_on, b.ends_on, a.ends_on, t.ends_on) - 1)::text,
           array_remove(array[oneroster_id(a.source_id, a.term_id), oneroster_id(b.source_id, b.term_id),
                              oneroster_id(c.source_id, c.term_id)], null)
      from term as t
      left join term as a on a.organization_id = t.organization_id and a.term_id = t.parent_id
      left join term as b on b.organization_id = t.organization_id and b.term_id = a.parent_id
      left join term as c on c.organization_id = t.organization_id and c.term_id = b.parent_id
     where t.organization_id = my_organization()
    union all
    select oneroster_default_term(), null, oneroster_default_term(), y.is_needed, oneroster_status(y.is_needed),
           greatest(date_trunc('year', moment()), y.changed_at)::timestamptz, 'Year ' || extract(year from moment()),
           'schoolYear',
           date_trunc('year', moment())::date, (date_trunc('year', moment()) + interval '1 year - 1 day')::date, null, '{}',
           extract(year from moment())::text, '{}'
      from (select bool_or(c.term_id is null and c.archived_at is null) as is_needed,
                   greatest(max(c.updated_at), (
                       select max(t.left_at) from roster_tombstone as t
                        where t.organization_id = my_organization() and t.kind = 'class')) as changed_at
              from class as c where c.organization_id = my_organization()) as y
     where y.is_needed is not null
    union all
    select t.sourced_id, null, t.sourced_id, false, 'tobedeleted', t.left_at::timestamptz,
           coalesce(t.kept ->> 'title', '-'), t.kept ->> 'kind', (t.kept ->> 'starts_on')::date,
           (t.kept ->> 'ends_on')::date, null, '{}', t.kept ->> 'school_year', '{}'
      from roster_tombstone as t
     where t.organization_id = my_organization() and t.kind = 'academicSession';
end;

-- oneroster_courses: courses, and one for each class that has none.
create or replace function oneroster_courses()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   title text, code text, org text)
    language sql stable
begin atomic
    select c.source_id, c.course_id, oneroster_id(c.source_id, c.course_id), true, 'active', c.updated_at::timestamptz,
           c.name, coalesce(c.number, c.name), oneroster_id(l.source_id, l.location_id)
      from course as c
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
     where c.organization_id = my_organization()
    union all
    select oneroster_course_of_class(c.class_id), null, oneroster_course_of_class(c.class_id),
           c.archived_at is null, oneroster_status(c.archived_at is null), c.updated_at::timestamptz, c.name,
           coalesce(c.number, c.name), oneroster_id(l.source_id, l.location_id)
      from class as c
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
     where c.organization_id = my_organization() and c.course_id is null
    union all
    select t.sourced_id, null, t.sourced_id, false, 'tobedeleted', t.left_at::timestamptz,
           coalesce(t.kept ->> 'title', '-'), null, t.kept ->> 'org'
      from roster_tombstone as t
     where t.organization_id = my_organization() and t.kind = 'course';
end;

-- oneroster_classes: classes; those that are archived have left the roster.
create or replace function oneroster_classes()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   title text, code text, room text, course text, school text, terms text[])
    language sql stable
begin atomic
    select c.source_id, c.class_id, oneroster_id(c.source_id, c.class_id), c.archived_at is null,
           oneroster_status(c.archived_at is null),
           c.updated_at::timestamptz, c.name, c.number, c.room,
           case when k.course_id is null then oneroster_course_of_class(c.class_id)
                else oneroster_id(k.source_id, k.course_id) end,
           oneroster_id(l.source_id, l.location_id),
           array[case when t.term_id is null then oneroster_default_term()
                      else oneroster_id(t.source_id, t.term_id) end]
      from class as c
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
      left join course as k on k.organization_id = c.organization_id and k.course_id = c.course_id
      left join term as t on t.organization_id = c.organization_id and t.term_id = c.term_id
     where c.organization_id = my_organization()
    union all
    select t.sourced_id, null, t.sourced_id, false, 'tobedeleted', t.left_at::timestamptz,
           coalesce(t.kept ->> 'title', '-'), null, null, t.kept ->> 'course', t.kept ->> 'school',
           array_remove(array[t.kept ->> 'term'], null)
      from roster_tombstone as t
     where t.organization_id = my_organization() and t.kind = 'class';
end;

-- oneroster_roles: who holds which role of OneRoster where, one time each; the first of several at a location is the
-- primary one. Every step is by organization and person, so that the roles of one person are found by an index.
create or replace function oneroster_roles()
    returns table (organization_id uuid, person_id uuid, place integer, role text, kind text, org text)
    language sql stable
begin atomic
    select r.organization_id, r.person_id, r.place, r.role,
           case when row_number() over (partition by r.organization_id, r.person_id, r.location_id order by r.place) = 1
                then 'primary' else 'secondary' end,
           oneroster_id(l.source_id, l.location_id)
      from (select p.organization_id, p.person_id, p.location_id, oneroster_role(p.role) as role,
                   min(array_position('{student,teacher,administrator,siteManager,peopleManager,contentManager,manager,
                                        staff}'::text[], p.role)) as place
              from person_role as p
             where p.role <> 'staff' or not exists (
                   select from person_role as t
                    where t.organization_id = p.organization_id and t.person_id = p.person_id
                      and t.location_id = p.location_id and t.role = 'teacher')
             group by p.organization_id, p.person_id, p.location_id, oneroster_role(p.role)) as r
      join location as l on l.organization_id = r.organization_id and l.location_id = r.location_id;
end;

-- oneroster_former_users: those who have left the directory. Nobody's name is kept: - satisfies the standard.
create or replace function oneroster_former_users()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   is_enabled text, given_name text, middle_name text, family_name text, username text, email text,
                   number text, grades text[], roles text[], role_kinds text[], role_orgs text[], role_facts text[])
    language sql stable
begin atomic
    select g.source_id, g.id, g.sourced_id, false, 'tobedeleted', g.left_at, 'false', '-', null, '-',
           g.sourced_id, null, null, '{}'::text[],
           array(select f.fact from unnest(g.facts) with ordinality as f (fact, n) where f.n % 3 = 1 order by f.n),
           array(select f.fact from unnest(g.facts) with ordinality as f (fact, n) where f.n % 3 = 2 order by f.n),
           array(select f.fact from unnest(g.facts) with ordinality as f (fact, n) where f.n % 3 = 0 order by f.n),
           g.facts
      from (select t.sourced_id as source_id, null::uuid as id, t.sourced_id, t.left_at::timestamptz,
                   array(select jsonb_array_elements_text(t.kept -> 'roles')) as facts
              from roster_tombstone as t
             where t.organization_id = my_organization() and t.kind = 'user'
            union all
            select null, e.person_id, e.person_id::text, e.erased_at,
                   array(select f.fact
                           from unnest(e.roles) with ordinality as r (role, place)
                          cross join lateral (values (1, r.role), (2, 'primary'), (3, my_organization()::text))
                             as f (n, fact)
                          order by r.place, f.n)
              from erased_people() as e) as g;
end;

-- oneroster_users: people; those who are deactivated have left the roster. Who has no mail address is found by the
-- managed ID, which looks like one. role_facts holds all of their roles, for each its name, its kind and its org: to
-- read them once takes a third of the time.
create or replace function oneroster_users()
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   is_enabled text, given_name text, middle_name text, family_name text, username text, email text,
                   number text, grades text[], roles text[], role_kinds text[], role_orgs text[], role_facts text[])
    language sql stable
begin atomic
    select p.source_id, p.person_id, oneroster_id(p.source_id, p.person_id), p.deactivated_at is null,
           oneroster_status(p.deactivated_at is null), p.updated_at::timestamptz, (p.deactivated_at is null)::text,
           p.given_name, p.middle_name, p.family_name, p.managed_id, coalesce(p.email, p.managed_id),
           coalesce(p.person_number, oneroster_id(p.source_id, p.person_id)), array_remove(array[p.grade], null),
           array(select r.role from oneroster_roles() as r
                  where r.organization_id = p.organization_id and r.person_id = p.person_id order by r.place, r.org),
           array(select r.kind from oneroster_roles() as r
                  where r.organization_id = p.organization_id and r.person_id = p.person_id order by r.place, r.org),
           array(select r.org from oneroster_roles() as r
                  where r.organization_id = p.organization_id and r.person_id = p.person_id order by r.place, r.org),
           array(select f.fact from oneroster_roles() as r
                  cross join lateral (values (1, r.role), (2, r.kind), (3, r.org)) as f (n, fact)
                  where r.organization_id = p.organization_id and r.person_id = p.person_id
                  order by r.place, r.org, f.n)
      from person as p
     where p.organization_id = my_organization()
    union all
    select * from oneroster_former_users();
end;

-- oneroster_users_holding: people who hold a role here anywhere, with those who have left and held OneRoster's role of
-- the same name.
create or replace function oneroster_users_holding(p_role text)
    returns table (source_id text, id uuid, sourced_id text, is_active boolean, status text, changed_at timestamptz,
                   is_enabled text, given_name text, middle_name text, family_name text, username text, email text,
                   number text, grades text[], roles text[], role_kinds text[], role_orgs text[], role_facts text[])
    language sql stable
begin atomic
    select u.* from oneroster_users() as u
     where exists (select from person_role as r
                    where r.organization_id = my_organization() and r.person_id = u.id and r.role = p_role)
    union all
    select f.* from oneroster_former_users() as f where p_role = any (f.roles);
end;

-- oneroster_seats: who sits in or teaches which class at p_now, the present, and who no longer does; each person once in a
-- class and a role, by the last stay that began. Archived classes and deactivated people take their enrollments along.
create or replace function oneroster_seats(p_now timestamptz)
    returns table (source_id text, class_id uuid, person_id uuid, sourced_id text, is_active boolean, status text,
                   changed_at timestamptz, person text, class text, school text, role text, begins_on date,
                   ends_on date)
    language sql stable
begin atomic
    select s.source_id, s.class_id, s.person_id,
           oneroster_enrollment_id(s.source_id, s.class_id, s.person_id, s.role),
           is_open_seat(s, p_now) and p.deactivated_at is null and c.archived_at is null,
           oneroster_status(is_open_seat(s, p_now) and p.deactivated_at is null and c.archived_at is null),
           greatest(s.updated_at, p.updated_at, c.updated_at, s.joined_at, case when s.left_at <= p_now
                    then s.left_at end)::timestamptz,
           oneroster_id(p.source_id, p.person_id), oneroster_id(c.source_id, c.class_id),
           oneroster_id(l.source_id, l.location_id), s.role, joined_on(s, coalesce(l.time_zone, o.time_zone)),
           left_on(s, coalesce(l.time_zone, o.time_zone))
      from seat as s
      join person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
      join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
      join organization as o on o.organization_id = s.organization_id
     where s.organization_id = my_organization() and s.joined_at <= p_now
       -- Nothing follows a stay without an end.
       and (s.left_at is null or not exists (
               select from seat as n
                where n.organization_id = s.organization_id and n.class_id = s.class_id and n.person_id = s.person_id
                  and n.role = s.role and n.joined_at > s.joined_at and n.joined_at <= p_now));
end;

-- oneroster_enrollments: the same, with those that are no longer in the directory.
create or replace function oneroster_enrollments()
    returns table (source_id text, class_id uuid, person_id uuid, sourced_id text, is_active boolean, status text,
                   changed_at timestamptz, person text, class text, school text, role text, begins_on date,
                   ends_on date)
    language sql stable
begin atomic
    select * from oneroster_seats(moment())
    union all
    select t.sourced_id, null, null, t.sourced_id, false, 'tobedeleted', t.left_at::timestamptz, t.kept ->> 'user',
           t.kept ->> 'class', t.kept ->> 'school', t.kept ->> 'role', null, null
      from roster_tombstone as t
     where t.organization_id = my_organization() and t.kind = 'enrollment';
end;

grant execute on function oneroster_orgs(), oneroster_sessions(), oneroster_courses(), oneroster_classes(),
    oneroster_roles(), oneroster_former_users(), oneroster_users(), oneroster_users_holding(text),
    oneroster_seats(timestamptz),
    oneroster_enrollments(), joined_on(seat, text), left_on(seat, text) to school_roster_reader;
