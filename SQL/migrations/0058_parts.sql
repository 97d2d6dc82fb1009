-- Parts of attempts are kept, because what cuts an attempt off (a lock, a completion, the next attempt) may become
-- known after later parts have come: what counts is then added up anew from those that were changed before.
--
-- Each part is kept for each task that was open during its time and not closed when it was changed. Items are kept as
-- they count for a task, since the part whose items stay may differ.

set local role school_owner;
set local search_path = school, pg_temp;

create table activity_part (
    organization_id  uuid             not null,
    person_id        uuid             not null,
    activity_id      uuid             not null,
    task_id          uuid             not null,
    digest           bytea            not null,
    started_at       timestamptz(3)   not null,
    stopped_at       timestamptz(3),
    modified_at      timestamptz(3)   not null,
    duration_seconds double precision not null,
    progress_ranges  nummultirange    not null,
    items            jsonb            not null,

    constraint activity_part_pkey     primary key (organization_id, person_id, activity_id, task_id, digest),
    constraint activity_part_activity foreign key (organization_id, person_id, activity_id)
                                      references activity on delete cascade,
    constraint activity_part_duration_is_not_negative check (duration_seconds >= 0)
);
alter table activity_part enable row level security;

alter table activity_assignment
    add column modified_at timestamptz(3) not null default date_trunc('milliseconds', now()),
    add column part_digest bytea,
    add column is_cut      boolean not null default false,
    add column is_shown    boolean not null default true;

insert into activity_part (organization_id, person_id, activity_id, task_id, digest, started_at, stopped_at,
       modified_at, duration_seconds, progress_ranges, items)
select a.organization_id, a.person_id, a.activity_id, l.task_id, a.items_digest, a.started_at, a.stopped_at,
       a.modified_at, a.duration_seconds, a.progress_ranges,
       (select jsonb_build_array((array_agg(d.item) filter (where d.is_primary))[1])
               || coalesce(jsonb_agg(d.item order by d.position) filter (where not d.is_primary), '[]')
          from (select i.position, i.is_primary,
                       jsonb_strip_nulls(jsonb_build_object(
                           'kind', i.kind, 'identifier', i.identifier, 'title', i.title, 'score', i.score,
                           'maxScore', i.max_score, 'quantity', i.quantity, 'value', i.value,
                           'valueType', i.value_type)) as item
                  from activity_item as i
                 where i.organization_id = a.organization_id and i.person_id = a.person_id
                   and i.activity_id = a.activity_id) as d)
  from activity_assignment as l
  join activity as a on a.organization_id = l.organization_id and a.person_id = l.person_id
                    and a.activity_id = l.activity_id;

update activity_assignment as l
   set modified_at = a.modified_at, part_digest = a.items_digest
  from activity as a
 where a.organization_id = l.organization_id and a.person_id = l.person_id and a.activity_id = l.activity_id;

-- The latest attempt of a student at a task is found, and all of them are read in their order, page by page. The primary
-- key is made after it: of two indexes that look equally good, as they do while the table is empty, PostgreSQL takes the
-- younger one, and a link would be looked for among all of its student.
drop index activity_assignment_task;
create index activity_assignment_task on activity_assignment
    (organization_id, task_id, handout_id, class_id, person_id, started_at) include (activity_id);
alter table activity_assignment
    drop constraint activity_assignment_pkey,
    add constraint activity_assignment_pkey primary key (organization_id, person_id, activity_id, task_id);

alter table activity_item
    add column task_id uuid,
    drop constraint activity_item_pkey,
    drop constraint activity_item_activity;
insert into activity_item (organization_id, person_id, activity_id, task_id, identifier, position, is_primary, kind,
       title, score, max_score, quantity, value, value_type)
select i.organization_id, i.person_id, i.activity_id, l.task_id, i.identifier, i.position, i.is_primary, i.kind,
       i.title, i.score, i.max_score, i.quantity, i.value, i.value_type
  from activity_item as i
  join activity_assignment as l on l.organization_id = i.organization_id and l.person_id = i.person_id
                               and l.activity_id = i.activity_id;
delete from activity_item where task_id is null;
alter table activity_item
    alter column task_id set not null,
    add constraint activity_item_pkey primary key (organization_id, person_id, activity_id, task_id, identifier),
    add constraint activity_item_counts foreign key (organization_id, person_id, activity_id, task_id)
                                        references activity_assignment on delete cascade;

comment on table  activity_part is 'What an app reported of an attempt at one time, as far as a task was open.';
comment on column activity_part.digest is
    'Of what the app sent. A part that is sent again has the same digest and is kept once.';
comment on column activity_part.items is 'The primary item or null, and the others.';
comment on column activity_item.task_id is 'The task for which the items count.';
comment on column activity_assignment.started_at is
    'Of its first part. Like all figures below it tells of the parts that count for the task.';
comment on column activity_assignment.modified_at is 'When the app changed the last part that counts.';
comment on column activity_assignment.part_digest is 'Of the part whose items stay.';
comment on column activity_assignment.is_cut   is 'Some of its parts came after the next attempt had begun.';
comment on column activity_assignment.is_shown is
    'No: all of them did, so that it counts for nothing but to end the one before.';
comment on table  activity is 'One attempt of a student at a context, with everything that was kept of it.';
