-- Who calls, one line of JSON each: three hundred classes of this year, each with its teacher and a student of it, and
-- twenty administrators, with tokens for them. Different people of different schools, always the same ones.
\set ON_ERROR_STOP 1
set search_path = growth, school, public;
set jit = off;
create temporary table asked as
select c.class_id, h.handout_id, h.title, h.publish_at, t.task_id, t.bundle_id, t.identifier_path,
       x.person_id as teacher_id, s.person_id as student_id, row_number() over () as n
  from (select c.* from class as c
         where c.organization_id = :'organization' and c.archived_at is null and c.name not like '%-5'
         order by md5(c.class_id::text) limit 300) as c
 cross join lateral (select h.* from handout as h where h.organization_id = c.organization_id
                        and h.class_id = c.class_id and h.publish_at < now() order by h.publish_at desc limit 1) as h
 cross join lateral (select t.* from task as t where t.organization_id = h.organization_id
                        and t.handout_id = h.handout_id order by t.position limit 1) as t
 cross join lateral (select x.person_id from seat as x where x.organization_id = c.organization_id
                        and x.class_id = c.class_id and x.role = 'teacher' limit 1) as x
 cross join lateral (select x.person_id from seat as x where x.organization_id = c.organization_id
                        and x.class_id = c.class_id and x.role = 'student' order by x.person_id limit 1) as s;
create temporary table asker as
select distinct concat_ws('-', kind, person_id, app) as token, person_id, kind as standing, app
  from asked, lateral (values ('teacher', teacher_id, null), ('student', student_id, null),
                              ('app', student_id, bundle_id)) as v (kind, person_id, app)
union all
(select 'administrator-' || person_id, person_id, 'administrator', null from person_role
  where organization_id = :'organization' and role = 'administrator' order by person_id limit 20);
delete from access_token where organization_id = :'organization' and digest in (
    select sha256(convert_to(token, 'UTF8')) from asker);
insert into access_token (organization_id, digest, person_id, standing, app, expires_at)
select :'organization'::uuid, sha256(convert_to(token, 'UTF8')), person_id, standing, app,
       now() + interval '30 days'
  from asker;
select json_build_object('class', class_id, 'handout', handout_id,
                         'app', concat_ws('-', 'app', student_id, bundle_id), 'path', identifier_path,
                         'teacher', 'teacher-' || teacher_id, 'student', 'student-' || student_id,
                         'familyName', p.family_name)
  from asked as a
  join person as p on p.organization_id = :'organization' and p.person_id = a.student_id
 order by n;
select json_build_object('administrator', token) from asker where standing = 'administrator';
