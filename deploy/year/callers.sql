-- Who calls in the drill `year`, one line of JSON each, with new tokens: of each organization an administrator, and
-- classes, with a teacher, a student and the app with which the student works.
--
-- psql variables: batch, a word that no tokens had before; classes, the most of one organization.
\set ON_ERROR_STOP 1
\o /dev/null
set search_path = school, public;
set jit = off;
create temporary table asked as
select c.organization_id, c.class_id, t.person_id as teacher_id, s.person_id as student_id, k.bundle_id,
       k.identifier_path, row_number() over (partition by c.organization_id order by md5(c.class_id::text)) as n
  from class as c
 cross join lateral (select x.person_id from seat as x where x.organization_id = c.organization_id
                        and x.class_id = c.class_id and x.role = 'teacher' and x.left_at is null
                      order by x.person_id limit 1) as t
 cross join lateral (select x.person_id from seat as x
                       join person as p on p.organization_id = x.organization_id and p.person_id = x.person_id
                      where x.organization_id = c.organization_id and x.class_id = c.class_id and x.role = 'student'
                        and x.left_at is null and p.deactivated_at is null
                      order by md5(x.person_id::text || c.class_id) limit 1) as s
  left join lateral (select a.bundle_id, a.identifier_path from handout as h
                       join task as a on a.organization_id = h.organization_id and a.handout_id = h.handout_id
                      where h.organization_id = c.organization_id and h.class_id = c.class_id
                        and h.publish_at < now() and h.deleted_at is null and a.bundle_id is not null
                      order by h.publish_at desc, a.position limit 1) as k on true
 where c.archived_at is null and not is_ending(c.organization_id);
-- Two attempts of one student at one context at the same time would be one of them the latest, and the other final.
delete from asked as a
 where a.n > :classes
    or exists (select from asked as b where b.student_id = a.student_id and b.n < a.n and b.bundle_id = a.bundle_id);
create temporary table asker as
select distinct organization_id, person_id, standing, app, concat_ws('-', :'batch', standing, person_id, app) as token
  from (select organization_id, teacher_id as person_id, 'teacher' as standing, null as app from asked
        union all select organization_id, student_id, 'app', bundle_id from asked where bundle_id is not null
        union all (select distinct on (r.organization_id) r.organization_id, r.person_id, 'administrator', null
                     from person_role as r
                    where r.role = 'administrator' and r.organization_id in (select a.organization_id from asked as a)
                    order by r.organization_id, r.person_id)) as u;
insert into access_token (organization_id, digest, person_id, standing, app, expires_at)
select organization_id, sha256(convert_to(token, 'UTF8')), person_id, standing, app, now() + interval '40 days'
  from asker;
\o
select json_build_object('organization', k.organization_id, 'administrator', k.token, 'location', (
           select l.location_id from location as l
            where l.organization_id = k.organization_id order by l.location_id limit 1))
  from asker as k where k.standing = 'administrator' order by k.organization_id;
select json_build_object('organization', a.organization_id, 'class', a.class_id, 'student', a.student_id,
                         'teacher', concat_ws('-', :'batch', 'teacher', a.teacher_id),
                         'app', concat_ws('-', :'batch', 'app', a.student_id, a.bundle_id), 'path', a.identifier_path,
                         'bundle', a.bundle_id)
  from asked as a order by a.organization_id, a.class_id;
