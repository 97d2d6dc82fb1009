-- Progress: when a link to an assignment last brought something new, ranges without end, and exports that are
-- ordered by a call.
--
-- A class's report of what changed since a moment finds the links by the moment at which they, or the activity
-- behind them, were last written. Nothing else tells cheaply: an activity does not know its classes, and a
-- handout is not written when a student works.

set local role school_owner;
set local search_path = school, pg_temp;

alter table activity_assignment
    add column updated_at timestamptz(3) not null default date_trunc('milliseconds', now());
create index activity_assignment_class on activity_assignment (organization_id, class_id, updated_at);

-- What decides whether a teacher sees an activity is in the key that the policies look it up by.
alter table activity_assignment
    drop constraint activity_assignment_pkey,
    add constraint activity_assignment_pkey primary key (organization_id, person_id, activity_id, task_id)
        include (handout_id, class_id);
create index task_class on task (organization_id, class_id);

alter table activity add column is_rounded boolean not null default false;

comment on column activity_assignment.updated_at is 'When the activity behind it changed last.';
comment on column activity.is_rounded is 'The ranges were in too many pieces: their ends are rounded from then on.';
