-- All attempts at the tasks that were given in one sixth of the three years, in the order of time, as a table to load
-- from. Every student makes three attempts at each task within eleven days, and most apps report a score.
--
-- psql variables: organization, first and last (schools), sixth (0 to 5).
\set ON_ERROR_STOP 1
\o /dev/null
set search_path = growth, school, public;
set client_min_messages = warning;
set jit = off;
set synchronous_commit = off;
set work_mem = '256MB';
drop table if exists growth_attempt;
create unlogged table growth_attempt as
select s.person_id, md5(t.task_id::text || s.person_id || n)::uuid as activity_id, t.task_id, t.handout_id, t.class_id,
       t.bundle_id, t.identifier_path, w.started_at, n as attempt, v.luck % 9 + n - 1 as score,
       t.bundle_id <> 'org.example.subject-5' as has_score
  from generate_series(:first, :last) as school
  join class as c   on c.organization_id = :'organization' and c.location_id = growth_id('location', school)
  join handout as h on h.organization_id = c.organization_id and h.class_id = c.class_id
                   and width_bucket(h.publish_at, array(
                           select y.starts_on::timestamptz + make_interval(days => d)
                             from growth_year as y, unnest(array[0, 170]) as d order by 1)) = :sixth + 1
  join task as t    on t.organization_id = h.organization_id and t.handout_id = h.handout_id
  join seat as s    on s.organization_id = c.organization_id and s.class_id = c.class_id and s.role = 'student'
 cross join generate_series(1, 3) as n
 cross join lateral (select abs(hashtextextended(t.task_id::text || s.person_id, 0)) as luck) as v
 cross join lateral (select date_trunc('milliseconds', h.publish_at + make_interval(
           days => n * 3, secs => v.luck % 172800)) as started_at) as w
 order by w.started_at;
analyze growth_attempt;
