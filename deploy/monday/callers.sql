-- Who else calls on a Monday, one line of JSON each, beside those of deploy/growth/people.sql: who signs in, ten scripts,
-- and a school that means harm. All passwords are that of the district's administrator.
--
-- psql variables: organization (the district's), signins.
\set ON_ERROR_STOP 1
set search_path = growth, school, public;
set jit = off;
create temporary table signer as
select p.person_id, p.managed_id, row_number() over (order by md5(p.person_id::text)) as n
  from person as p
  join person_role as r using (organization_id, person_id)
 where p.organization_id = :'organization' and r.role = 'student'
 order by md5(p.person_id::text) limit :signins;
insert into credential (organization_id, person_id, password_record)
select :'organization', s.person_id, c.password_record
  from signer as s
 cross join (select c.password_record from credential as c
              where c.organization_id = :'organization' and c.is_temporary limit 1) as c;

-- Five scripts run under an administrator's token, as `organization create` answers it, and five under one of a service;
-- the first two of each are the district's and a small school's.
create temporary table script as
select n, 'script-' || n as token, case when n % 2 = 0 then 'provisioner' else 'administrator' end as standing,
       case when n <= 2 then :'organization'::uuid else growth_id('neighbour', n) end as organization_id
  from generate_series(1, 10) as n;
create temporary table hostile as
select growth_id('neighbour', 1) as organization_id, growth_id('neighbour-person', 1, 0) as administrator_id,
       growth_id('neighbour-person', 1, 11) as student_id;
insert into access_token (organization_id, digest, person_id, standing, app, expires_at)
select s.organization_id, sha256(convert_to(s.token, 'UTF8')), case when s.standing = 'administrator' then (
           select r.person_id from person_role as r
            where r.organization_id = s.organization_id and r.role = 'administrator' order by r.person_id limit 1) end,
       s.standing, null, now() + interval '30 days' from script as s
union all
select organization_id, sha256('hostile-administrator'), administrator_id, 'administrator', null,
       now() + interval '30 days' from hostile
union all
select organization_id, sha256('hostile-app'), student_id, 'app', 'org.example.subject-0', now() + interval '30 days'
  from hostile;

select json_build_object('signIn', managed_id, 'address', '192.0.2.' || n % 200) from signer order by n;
select json_build_object('script', token, 'location', (
           select l.location_id from location as l
            where l.organization_id = s.organization_id order by l.location_id limit 1)) from script as s order by n;
select json_build_object('hostile', 'hostile-administrator', 'app', 'hostile-app',
                         'location', growth_id('place', 1), 'path', array['unit-1', 'check-1']);
