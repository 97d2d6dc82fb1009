-- The parts of an attempt are bounded: where there are too many, those that were changed close to each other become
-- one.
--
-- What an attempt came to is said by its parts and links alone, for each task apart. What the activity said of it
-- nobody read any more, but each upload added it up.

set local role school_owner;
set local search_path = school, pg_temp;

alter table activity_part add column merged_seconds bigint not null default 0;

alter table activity
    drop column started_at,
    drop column stopped_at,
    drop column duration_seconds,
    drop column progress_ranges,
    drop column is_rounded,
    drop column progress,
    drop column modified_at,
    drop column items_digest;

-- How many attempts of a student at a task are hidden is asked at each upload, and mostly there are none.
create index activity_assignment_hidden on activity_assignment (organization_id, task_id, person_id)
    where not is_shown;

comment on table  activity is 'One attempt of a student at a context.';
comment on column activity_part.merged_seconds is
    '0: as the app sent it. More: several that were changed within so many seconds, as one.';
comment on column activity_part.digest is
    'Of what the app sent, and of several the last. A part that is sent again has the same digest and is kept once.';
