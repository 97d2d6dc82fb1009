-- When a student began the first attempt that counts for an assignment. Who has worked on it has opened it, also in an
-- app that was there already.

alter table assignment_figures add column begun_at timestamptz(3);

update assignment_figures as f
   set begun_at = l.begun_at
  from (select organization_id, task_id, person_id, min(started_at) as begun_at
          from activity_assignment
         where is_shown
         group by organization_id, task_id, person_id) as l
 where f.organization_id = l.organization_id and f.task_id = l.task_id and f.person_id = l.person_id;
