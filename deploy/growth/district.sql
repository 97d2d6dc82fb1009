-- A district for `deploy/drill growth`: one organization with many schools, each of them a location. The hardest case
-- for row-level security, because everything of a hundred schools is behind one organization_id.
--
-- psql variables: organization, first and last: which schools to add. All of them are alike, so that the answer to
-- one person has the same size in a large district as in a small one, and what differs in time is due to the tables.
--
--   a school      1,000 people: 920 students, 60 teachers, 20 others
--   a year        40 forms of 23 students, 6 subjects each: 240 classes, 4 for each teacher
--   a class       2 handouts with 2 tasks each
--   three years   720 classes, 16,560 seats of students, 1,440 handouts, 198,720 activities
--
-- Everything here is inserted under all constraints and triggers.
\set ON_ERROR_STOP 1
\o /dev/null
-- What is only there for the drill is in a schema of its own, which the migrator leaves alone.
set client_min_messages = warning;
create schema if not exists growth;
set search_path = growth, school, public;
set jit = off;
set synchronous_commit = off;
select set_config('school.organization', :'organization', false);
begin;

-- growth_id: an id that is the same whenever it is asked for, without an order, as an app makes them.
create or replace function growth_id(p_kind text, p_a integer, p_b integer default 0, p_c integer default 0)
    returns uuid language sql immutable parallel safe
    return md5(p_kind || '/' || p_a || '/' || p_b || '/' || p_c)::uuid;

-- growth_id_at: one that begins with a moment, as the service makes them.
create or replace function growth_id_at(p_at timestamptz, p_kind text, p_a integer, p_b integer default 0)
    returns uuid language sql immutable parallel safe
    return overlay(md5(p_kind || '/' || p_a || '/' || p_b) placing
        lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0') from 1 for 12)::uuid;

-- The three school years; the last one ends in thirty days.
create table if not exists growth_year as
    select y as year, growth_id('term', y) as term_id,
           current_date + 30 - 365 * (4 - y) as starts_on, current_date + 30 - 365 * (3 - y) as ends_on
      from generate_series(1, 3) as y;

update organization set is_student_progress_enabled = true where organization_id = :'organization';
insert into term (organization_id, term_id, name, kind, starts_on, ends_on, closed_at)
select :'organization', term_id, 'Year ' || year, 'schoolYear', starts_on, ends_on,
       case when year < 3 then ends_on::timestamptz end
  from growth_year
on conflict on constraint term_pkey do nothing;

-- Months of the audit trail, made as make_audit_months() makes those to come.
do $$
declare
    begins timestamptz;
    month  text;
begin
    for i in 1 .. 36 loop
        begins := date_trunc('month', now(), 'UTC') - make_interval(months => i);
        month := 'audit_event_' || to_char(begins at time zone 'UTC', 'YYYY_MM');
        continue when to_regclass('school.' || month) is not null;
        execute format('create table school.%I partition of audit_event for values from (%L) to (%L)',
                       month, begins, begins + interval '1 month');
        execute format('alter table school.%I owner to school_owner', month);
        execute format('alter table school.%I enable row level security', month);
    end loop;
end $$;

-- What an app for each subject published.
insert into context (organization_id, context_id, environment, bundle_id, identifier_path, locale, title, type)
select :'organization', growth_id('context', s, p.number::integer), 'production', 'org.example.subject-' || s, p.path,
       'en-US', coalesce(p.path[cardinality(p.path)], 'App of subject ' || s),
       (array['app', 'chapter', 'quiz'])[cardinality(p.path) + 1]
  from generate_series(0, 5) as s
 cross join (select path, row_number() over (order by path) as number
               from (select '{}'::text[] as path
                     union select array['unit-' || u] from generate_series(1, 6) as u
                     union select array['unit-' || u, 'check-' || c]
                             from generate_series(1, 6) as u, generate_series(1, 2) as c) as all_paths) as p
on conflict on constraint context_pkey do nothing;

create temporary table school_number on commit drop as select n from generate_series(:first, :last) as n;
create temporary table member on commit drop as
    select n as school, m, growth_id('person', n, m) as person_id,
           case when m < 920 then 'student' when m < 980 then 'teacher' when m = 980 then 'administrator'
                else 'staff' end as role,
           lower(format('p%s.%s@district.example', n, m)) as managed_id
      from school_number, generate_series(0, 999) as m;

insert into location (organization_id, location_id, source_id, name)
select :'organization', growth_id('location', n), 'school-' || n, 'School ' || n from school_number;
insert into managed_id_directory (managed_id, organization_id, person_id)
select managed_id, :'organization', person_id from member;
insert into person (organization_id, person_id, source_id, given_name, family_name, managed_id, first_sign_in_at)
select :'organization', person_id, format('p-%s-%s', school, m),
       (array['Ada', 'Ben', 'Chloe', 'Dan', 'Eve', 'Finn', 'Grace', 'Hugo', 'Iris', 'Jack'])[1 + m % 10]
           || (array['', 'na', 'lyn', 'bert', 'ika'])[1 + (m / 10) % 5],
       initcap(translate(to_hex(100000 + (school * 7919 + m * 104729) % 900000), '0123456789', 'ghklmnprst')),
       managed_id, moment() - interval '1000 days'
  from member;
insert into person_role (organization_id, person_id, location_id, role)
select :'organization', person_id, growth_id('location', school), role from member;

-- A class is numbered 0 to 239 in its year: form * 6 + subject.
create temporary table taught on commit drop as
    select n as school, y.year, y.term_id, y.starts_on, y.ends_on, c, c % 6 as subject, c / 6 as form,
           growth_id('class', n, y.year, c) as class_id, growth_id('person', n, 920 + c % 60) as teacher_id
      from school_number, growth_year as y, generate_series(0, 239) as c;
insert into course (organization_id, course_id, source_id, location_id, name)
select :'organization', growth_id('course', n, s), format('course-%s-%s', n, s), growth_id('location', n),
       (array['Biology', 'Mathematics', 'English', 'History', 'Art', 'Sport'])[1 + s]
  from school_number, generate_series(0, 5) as s;
insert into class (organization_id, class_id, source_id, location_id, course_id, term_id, name, archived_at, created_at)
select :'organization', class_id, format('class-%s-%s-%s', school, year, c), growth_id('location', school),
       growth_id('course', school, subject), term_id, format('%s-%s', form, subject),
       case when year < 3 then ends_on::timestamptz end, starts_on
  from taught;
insert into seat (organization_id, class_id, person_id, role, joined_at)
select :'organization'::uuid, class_id, teacher_id, 'teacher', starts_on from taught
union all
select :'organization'::uuid, class_id, growth_id('person', school, form * 23 + s), 'student', starts_on
  from taught, generate_series(0, 22) as s;

-- Handouts are spread over the year; the last ones were published two weeks ago, and their work is done.
create temporary table given on commit drop as
    select t.*, h, at, growth_id_at(at, 'handout', school, c * 2 + h) as handout_id
      from taught as t
     cross join generate_series(0, 1) as h
     cross join lateral (select date_trunc('milliseconds', starts_on::timestamptz + make_interval(
           days => 20 + h * 150 + c * 7 % 150, hours => 7 + c % 8, secs => school))) as w (at);
insert into handout (organization_id, handout_id, class_id, author_id, title, publish_at, due_at, created_at,
       updated_at)
select :'organization', handout_id, class_id, teacher_id, 'Homework ' || h + 1, at, at + interval '7 days', at, at
  from given order by at;
insert into task (organization_id, task_id, handout_id, class_id, position, kind, title, bundle_id, identifier_path,
                  created_at, updated_at)
select :'organization', growth_id_at(at, 'task', school, c * 4 + h * 2 + t), handout_id, class_id, t, 'appActivity',
       'Check ' || t, 'org.example.subject-' || subject, array['unit-' || (year * 2 - 1 + h), 'check-' || t], at, at
  from given, generate_series(1, 2) as t order by at;

-- A sign-in of everybody each month, an address for each school; and each teacher looks at each class once a week.
insert into audit_event (organization_id, arrived_at, event_id, kind, standing, person_id, session_id, token_id,
       address, address_salt, address_digest, subject_kind, subject_id)
select :'organization', e.at, e.event_id, 'signIn', 'server', m.person_id, e.session_id,
       left(md5(e.event_id::text), 16),
       '192.0.2.' || m.school % 250, decode(repeat('5a', 16), 'hex'),
       sha256(decode(repeat('5a', 16), 'hex') || convert_to('192.0.2.' || m.school % 250, 'UTF8')), 'session',
       e.session_id
  from member as m
 cross join generate_series(0, 35) as n
 cross join lateral (select date_trunc('milliseconds', now()) - make_interval(
           days => n * 30 + m.m % 30, secs => m.school * 40 + m.m % 36) as at) as w
 cross join lateral (select w.at, growth_id_at(w.at, 'event', m.school, m.m) as event_id,
                            growth_id('session', m.school, m.m, n) as session_id) as e
 order by e.at;
insert into audit_unsealed (organization_id, arrived_at, event_id)
select e.organization_id, e.arrived_at, e.event_id
  from audit_event as e
  join member as m using (person_id)
 where e.organization_id = :'organization';
insert into viewing (organization_id, viewing_id, viewed_on, reader_id, class_id, first_at, last_at)
select :'organization', growth_id_at(v.at, 'viewing', school, c), v.at::date, teacher_id, class_id, v.at, v.at
  from taught
 cross join generate_series(0, 39) as w
 cross join lateral (select starts_on::timestamptz + make_interval(days => w * 7 + c % 5, hours => 9) as at) as v
 where v.at < now()
 order by v.at;
commit;
