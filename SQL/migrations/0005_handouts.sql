-- Handouts: what teachers give to their classes, and what each student did about it.
--
-- A handout is never removed from its table: deleting sets deleted_at, because assignments and activities point at its
-- tasks, and the nightly export must report that it is gone. It outlives the teacher who wrote it: the class goes on
-- with it.

create table handout (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    class_id        uuid           not null,
    author_id       uuid,
    environment     text           not null default 'production',
    title           text           not null,
    instructions    text,
    recipients      text           not null default 'class',
    for_class_since timestamptz(3),
    publish_at      timestamptz(3),
    due_at          timestamptz(3),
    locked_at       timestamptz(3),
    completed_at    timestamptz(3),
    archived_at     timestamptz(3),
    deleted_at      timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint handout_pkey                primary key (organization_id, handout_id),
    constraint handout_of_class            unique (organization_id, handout_id, class_id),
    constraint handout_class               foreign key (organization_id, class_id) references class,
    constraint handout_author              foreign key (organization_id, author_id) references person,
    constraint handout_environment         check (environment in ('development', 'production')),
    constraint handout_recipients          check (recipients in ('class', 'chosen')),
    constraint handout_has_a_title         check (title ~ '\S' and char_length(title) <= 256),
    constraint handout_instructions_length check (char_length(instructions) <= 20000),
    constraint handout_is_not_published_before_it_is_made check (publish_at >= created_at),
    constraint handout_is_completed_after_publication check (completed_at is null or publish_at is not null),
    constraint handout_is_archived_after_completion check (archived_at is null or completed_at is not null)
);
create index handout_class   on handout (organization_id, class_id, handout_id desc);
create index handout_author  on handout (organization_id, author_id, handout_id desc);
create index handout_updated on handout (organization_id, updated_at);

create table handout_lock (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    locked_at       timestamptz(3) not null,
    unlocked_at     timestamptz(3) not null,

    constraint handout_lock_pkey    primary key (organization_id, handout_id, locked_at),
    constraint handout_lock_handout foreign key (organization_id, handout_id) references handout,
    constraint handout_lock_ends_after_it_begins check (unlocked_at > locked_at)
);

create table handout_recipient (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    person_id       uuid           not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint handout_recipient_pkey    primary key (organization_id, handout_id, person_id),
    constraint handout_recipient_handout foreign key (organization_id, handout_id) references handout,
    constraint handout_recipient_person  foreign key (organization_id, person_id) references person on delete cascade
);
create index handout_recipient_person on handout_recipient (organization_id, person_id);

create table former_recipient (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    person_id       uuid           not null,
    given_at        timestamptz(3) not null,
    taken_at        timestamptz(3) not null,

    constraint former_recipient_pkey    primary key (organization_id, handout_id, person_id, given_at),
    constraint former_recipient_handout foreign key (organization_id, handout_id) references handout,
    constraint former_recipient_person  foreign key (organization_id, person_id) references person on delete cascade,
    constraint former_recipient_had_it_for_a_time check (taken_at > given_at)
);
create index former_recipient_person on former_recipient (organization_id, person_id);

create table task (
    organization_id  uuid           not null,
    task_id          uuid           not null,
    handout_id       uuid           not null,
    class_id         uuid           not null,
    position         integer        not null,
    kind             text           not null,
    title            text           not null,
    titles           jsonb,
    bundle_id        text,
    identifier_path  text[],
    context_owner_id uuid,
    recorded_path    text[]         generated always as (
        case when kind = 'appActivity' then identifier_path
             when kind in ('wholeApp', 'timedApp') then '{}'::text[] end) stored,
    url              text,
    minutes          integer,
    withdrawn_at     timestamptz(3),
    created_at       timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at       timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint task_pkey                   primary key (organization_id, task_id),
    constraint task_of_class               unique (organization_id, task_id, handout_id, class_id),
    constraint task_position_is_unique     unique (organization_id, handout_id, position)
                                           deferrable initially deferred,
    constraint task_handout                foreign key (organization_id, handout_id, class_id)
                                           references handout (organization_id, handout_id, class_id),
    constraint task_context_owner          foreign key (organization_id, context_owner_id) references person,
    constraint task_position               check (position between 1 and 20),
    constraint task_kind                   check (kind in ('appActivity', 'wholeApp', 'timedApp', 'link')),
    constraint task_has_a_title            check (title ~ '\S' and char_length(title) <= 256),
    constraint task_titles_are_a_list      check (jsonb_typeof(titles) = 'array'),
    constraint task_of_an_app_names_it     check (
        (kind in ('appActivity', 'wholeApp', 'timedApp')) = (bundle_id is not null)),
    constraint task_app_activity_has_a_path check ((kind = 'appActivity') = (identifier_path is not null)),
    constraint task_of_a_native_context_is_an_app_activity check (
        context_owner_id is null or kind = 'appActivity'),
    constraint task_link_has_a_url         check ((kind = 'link') = (url is not null)),
    constraint task_timed_app_has_minutes  check ((kind = 'timedApp') = (minutes is not null)),
    constraint task_minutes                check (minutes between 1 and 1440)
);
create index task_handout       on task (organization_id, handout_id, class_id);
create index task_recorded      on task (organization_id, class_id, bundle_id, recorded_path)
    where recorded_path is not null;
create index task_context_owner on task (organization_id, context_owner_id);
create index task_class         on task (organization_id, class_id);

create table assignment (
    organization_id uuid           not null,
    task_id         uuid           not null,
    person_id       uuid           not null,
    opened_at       timestamptz(3),
    done_at         timestamptz(3),
    returned_at     timestamptz(3),
    return_note     text,
    is_to_try_again boolean        not null default false,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint assignment_pkey               primary key (organization_id, task_id, person_id),
    constraint assignment_task               foreign key (organization_id, task_id) references task,
    constraint assignment_person             foreign key (organization_id, person_id)
                                             references person on delete cascade,
    constraint assignment_return_note_length check (char_length(return_note) between 1 and 4000),
    constraint assignment_has_a_note_only_when_returned
        check (returned_at is not null or return_note is null and not is_to_try_again)
);
create index assignment_person  on assignment (organization_id, person_id);
create index assignment_updated on assignment (organization_id, updated_at);

alter table handout           enable row level security;
alter table handout_lock      enable row level security;
alter table handout_recipient enable row level security;
alter table former_recipient  enable row level security;
alter table task              enable row level security;
alter table assignment        enable row level security;

comment on table  handout is 'The homework that a teacher posts to a class or to chosen students of it.';
comment on column handout.author_id is 'Null: the author was erased.';
comment on column handout.recipients is 'class: everybody who sits in it, also later; chosen: handout_recipient.';
comment on column handout.for_class_since is
    'When it was given to the class after chosen students had it; before, it was not open to others.';
comment on column handout.publish_at is 'Null: a draft; in the future: scheduled; else published.';
comment on column handout.locked_at is 'From then on nothing is recorded; null: open.';
comment on column handout.archived_at is 'From then on it is out of the lists; null: it is not.';
comment on table  handout_lock is
    'A time during which a handout was locked and that is over: nothing is recorded for it, however late it comes.';
comment on table  handout_recipient is 'A student whom the teacher chose.';
comment on table  former_recipient is
    'A time during which a student was given a handout and that is over: what was done then is recorded, however late '
    'it comes.';

comment on table  task is 'One thing to do in a handout.';
comment on column task.class_id is
    'The class of the handout, repeated so that an upload finds its tasks by one index.';
comment on column task.title is 'For a context the title it had when it was assigned.';
comment on column task.titles is
    'What its context was called in each locale when the task was given: [{locale, title, presentableLocales}]; '
    'null: there was one.';
comment on column task.identifier_path is 'Of an appActivity, without the bundle id; {} is the app itself.';
comment on column task.context_owner_id is
    'Whose native context it names; null: the catalog''s, or an erased person''s.';
comment on column task.recorded_path is 'The context whose activities count for the task; null: none do.';
comment on column task.withdrawn_at is
    'When the person whose native context it names was erased; nothing is recorded from then on.';

comment on table  assignment is
    'One task for one student. The row is written at the first event; before, it is derived.';
comment on column assignment.returned_at is 'When the teacher gave the work back; null: never.';
comment on column assignment.return_note is 'What the teacher wrote to the student then.';
comment on column assignment.is_to_try_again is 'Whether the student was asked to do it once more.';
