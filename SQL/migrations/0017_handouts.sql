-- Handouts: whose native context a task names, when a handout was locked before, what a teacher gave back.

set local role school_owner;
set local search_path = school, pg_temp;

alter table task
    add column context_owner_id uuid,
    add column withdrawn_at     timestamptz(3),
    add constraint task_context_owner foreign key (organization_id, context_owner_id) references person,
    add constraint task_of_a_native_context_is_an_app_activity
        check (context_owner_id is null or kind = 'appActivity');
create index task_context_owner on task (organization_id, context_owner_id);

alter table handout
    add column archived_at timestamptz(3),
    add constraint handout_is_archived_after_completion
        check (archived_at is null or completed_at is not null);

alter table assignment
    add column returned_at     timestamptz(3),
    add column return_note     text,
    add column is_to_try_again boolean not null default false,
    add constraint assignment_has_a_note_only_when_returned
        check (returned_at is not null or return_note is null and not is_to_try_again),
    add constraint assignment_return_note_length check (char_length(return_note) between 1 and 4000);

create table handout_lock (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    locked_at       timestamptz(3) not null,
    unlocked_at     timestamptz(3) not null,

    constraint handout_lock_pkey    primary key (organization_id, handout_id, locked_at),
    constraint handout_lock_handout foreign key (organization_id, handout_id) references handout,
    constraint handout_lock_ends_after_it_begins check (unlocked_at > locked_at)
);

alter table handout_lock enable row level security;

comment on column task.context_owner_id is 'Whose native context it names; null: the catalog''s, or an erased person''s.';
comment on column task.withdrawn_at is 'When the person whose native context it names was erased; nothing is recorded from then on.';
comment on column handout.archived_at is 'From then on it is out of the lists; null: it is not.';
comment on column assignment.returned_at is 'When the teacher gave the work back; null: never.';
comment on column assignment.return_note is 'What the teacher wrote to the student then.';
comment on column assignment.is_to_try_again is 'Whether the student was asked to do it once more.';
comment on table  handout_lock is 'A time during which a handout was locked and that is over: nothing is recorded for it, however late it comes.';
