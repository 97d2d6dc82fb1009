-- Small schools beside the district of `deploy/drill growth`: each is an organization of its own with twelve people, two
-- classes and a handout for each. They make the district one of many for whoever plans statements.
--
-- psql variables: first and last, which schools to add. In a run each number is added once.
\set ON_ERROR_STOP 1
\o /dev/null
set client_min_messages = warning;
set search_path = growth, school, public;
set jit = off;
set synchronous_commit = off;
begin;
create temporary table neighbour on commit drop as
    select n, growth_id('neighbour', n) as organization_id, growth_id('place', n) as location_id,
           format('school%s.example', n) as domain
      from generate_series(:first, :last) as n;
select create_organization(organization_id, 'School ' || n, domain, null, location_id, null,
                           growth_id('neighbour-person', n, 0), 'Ada', 'Small', 'ada@' || domain, 'none', null)
  from neighbour;
update organization set is_student_progress_enabled = true
 where organization_id in (select organization_id from neighbour);

create temporary table small_member on commit drop as
    select b.*, m, growth_id('neighbour-person', n, m) as person_id, format('p%s@%s', m, domain) as managed_id,
           case when m <= 2 then 'teacher' else 'student' end as role
      from neighbour as b, generate_series(1, 11) as m;
insert into managed_id_directory (managed_id, organization_id, person_id)
select managed_id, organization_id, person_id from small_member;
insert into person (organization_id, person_id, given_name, family_name, managed_id)
select organization_id, person_id, 'Person ' || m, 'Small', managed_id from small_member;
insert into person_role (organization_id, person_id, location_id, role)
select organization_id, person_id, location_id, role from small_member;

create temporary table small_class on commit drop as
    select b.*, c, growth_id('neighbour-class', n, c) as class_id, growth_id('neighbour-handout', n, c) as handout_id,
           growth_id('neighbour-person', n, c) as teacher_id
      from neighbour as b, generate_series(1, 2) as c;
insert into class (organization_id, class_id, location_id, name)
select organization_id, class_id, location_id, 'Class ' || c from small_class;
insert into seat (organization_id, class_id, person_id, role, joined_at)
select organization_id, class_id, teacher_id, 'teacher', moment() from small_class
union all
select c.organization_id, c.class_id, m.person_id, 'student', moment()
  from small_class as c
  join small_member as m on m.organization_id = c.organization_id and m.role = 'student';
insert into handout (organization_id, handout_id, class_id, author_id, title, publish_at)
select organization_id, handout_id, class_id, teacher_id, 'Homework', moment() from small_class;
insert into task (organization_id, task_id, handout_id, class_id, position, kind, title, bundle_id, identifier_path)
select organization_id, growth_id('neighbour-task', n, c), handout_id, class_id, 1, 'appActivity', 'Check',
       'org.example.subject-0', '{unit-1,check-1}'
  from small_class;
commit;
