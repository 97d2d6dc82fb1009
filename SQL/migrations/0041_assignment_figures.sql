-- What a student's attempts at a task come to stands in one row, so that a report reads one row for each cell,
-- however many attempts there are: with a thousand of them at each of 600 cells a report read 600,000 rows.
--
-- Triggers on activity_assignment keep it (functions/activities_sums.sql). Sums are numerics, which come out the same
-- in any order.

set local role school_owner;
set local search_path = school, pg_temp;

create table assignment_figures (
    organization_id    uuid           not null,
    task_id            uuid           not null,
    person_id          uuid           not null,
    handout_id         uuid           not null,
    class_id           uuid           not null,
    attempts           integer        not null,
    progress_sum       numeric        not null,
    progress_count     integer        not null,
    duration_sum       numeric        not null,
    latest_activity_id uuid           not null,
    started_at         timestamptz(3) not null,
    progress           double precision,
    kind               text,
    share              double precision,
    quantity           double precision,
    positive           boolean,
    primary_item       json,

    constraint assignment_figures_pkey   primary key (organization_id, task_id, person_id),
    constraint assignment_figures_task   foreign key (organization_id, task_id) references task,
    constraint assignment_figures_person foreign key (organization_id, person_id) references person on delete cascade,
    constraint assignment_figures_are_of_attempts check (attempts >= 0)
) with (fillfactor = 80);
create index assignment_figures_person on assignment_figures (organization_id, person_id);

alter table assignment_figures enable row level security;

comment on table  assignment_figures is 'What the attempts of a student come to that count for a task.';
comment on column assignment_figures.progress_sum   is 'Over the attempts that have progress.';
comment on column assignment_figures.progress_count is 'How many those are.';
comment on column assignment_figures.duration_sum   is 'Over all attempts, in seconds.';
comment on column assignment_figures.latest_activity_id is 'Of the latest attempt, like all columns below: the last that began; of two, the greater id.';

-- The latest attempt of a student at a task is found, and all of them are read in their order, page by page.
drop index activity_assignment_task;
create index activity_assignment_task on activity_assignment
    (organization_id, task_id, handout_id, class_id, person_id, started_at, activity_id);

insert into assignment_figures (organization_id, task_id, person_id, handout_id, class_id, attempts, progress_sum,
       progress_count, duration_sum, latest_activity_id, started_at, progress, kind, share, quantity, positive,
       primary_item)
select s.organization_id, s.task_id, s.person_id, s.handout_id, s.class_id, s.attempts, s.progress_sum,
       s.progress_count, s.duration_sum, l.activity_id, l.started_at, l.progress, l.kind, l.share, l.quantity,
       l.positive, l.primary_item
  from (select organization_id, task_id, person_id, handout_id, class_id, count(*) as attempts,
               coalesce(sum(progress::numeric), 0) as progress_sum, count(progress) as progress_count,
               sum(duration_seconds::numeric) as duration_sum
          from activity_assignment
         group by organization_id, task_id, person_id, handout_id, class_id) as s
  join (select distinct on (organization_id, task_id, person_id) *
          from activity_assignment
         order by organization_id, task_id, person_id, started_at desc, activity_id desc) as l
 using (organization_id, task_id, person_id);
