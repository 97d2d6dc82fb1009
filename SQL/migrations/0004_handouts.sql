-- Handouts: what teachers give to their classes, and what each student did about it.
--
-- A handout is never removed from its table: deleting sets deleted_at, because assignments and
-- activities point at its tasks, and the nightly export must tell that it is gone.

set local role school_owner;
set local search_path = school, pg_temp;

create table handout (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    class_id        uuid           not null,
    author_id       uuid           not null,
    environment     text           not null default 'production',
    title           text           not null,
    instructions    text,
    recipients      text           not null default 'class',
    for_class_since timestamptz(3),
    publish_at      timestamptz(3),
    due_at          timestamptz(3),
    locked_at       timestamptz(3),
    completed_at    timestamptz(3),
    deleted_at      timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint handout_pkey             primary key (organization_id, handout_id),
    constraint handout_of_class         unique (organization_id, handout_id, class_id),
    constraint handout_class            foreign key (organization_id, class_id) references class,
    constraint handout_author           foreign key (organization_id, author_id) references person,
    constraint handout_environment      check (environment in ('development', 'production')),
    constraint handout_recipients       check (recipients in ('class', 'chosen')),
    constraint handout_has_a_title      check (title ~ '\S' and char_length(title) <= 256),
    constraint handout_instructions_length check (char_length(instructions) <= 20000),
    constraint handout_is_not_published_before_it_is_made check (publish_at >= created_at),
    constraint handout_is_completed_after_publication check (completed_at is null or publish_at is not null)
);
create index handout_class   on handout (organization_id, class_id, handout_id desc);
create index handout_author  on handout (organization_id, author_id, handout_id desc);
create index handout_updated on handout (organization_id, updated_at);

create table handout_recipient (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    person_id       uuid           not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint handout_recipient_pkey    primary key (organization_id, handout_id, person_id),
    constraint handout_recipient_handout foreign key (organization_id, handout_id) references handout,
    constraint handout_recipient_person  foreign key (organization_id, person_id)
                                         references person on delete cascade
);
create index handout_recipient_person on handout_recipient (organization_id, person_id);

create table task (
    organization_id uuid           not null,
    task_id         uuid           not null,
    handout_id      uuid           not null,
    class_id        uuid           not null,
    position        integer        not null,
    kind            text           not null,
    title           text           not null,
    bundle_id       text,
    identifier_path text[],
    recorded_path   text[]         generated always as (
        case when kind = 'appActivity' then identifier_path
             when kind in ('wholeApp', 'timedApp') then '{}'::text[] end) stored,
    url             text,
    minutes         integer,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint task_pkey              primary key (organization_id, task_id),
    constraint task_of_class          unique (organization_id, task_id, handout_id, class_id),
    constraint task_handout           foreign key (organization_id, handout_id, class_id)
                                      references handout (organization_id, handout_id, class_id),
    constraint task_position_is_unique unique (organization_id, handout_id, position)
                                      deferrable initially deferred,
    constraint task_position          check (position between 1 and 20),
    constraint task_kind              check (kind in ('appActivity', 'wholeApp', 'timedApp', 'link')),
    constraint task_has_a_title       check (title ~ '\S' and char_length(title) <= 256),
    constraint task_of_an_app_names_it check (
        (kind in ('appActivity', 'wholeApp', 'timedApp')) = (bundle_id is not null)),
    constraint task_app_activity_has_a_path check ((kind = 'appActivity') = (identifier_path is not null)),
    constraint task_link_has_a_url    check ((kind = 'link') = (url is not null)),
    constraint task_timed_app_has_minutes check ((kind = 'timedApp') = (minutes is not null)),
    constraint task_minutes           check (minutes between 1 and 1440)
);
create index task_handout  on task (organization_id, handout_id, class_id);
create index task_recorded on task (organization_id, class_id, bundle_id, recorded_path)
    where recorded_path is not null;

create table assignment (
    organization_id uuid           not null,
    task_id         uuid           not null,
    person_id       uuid           not null,
    opened_at       timestamptz(3),
    done_at         timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint assignment_pkey   primary key (organization_id, task_id, person_id),
    constraint assignment_task   foreign key (organization_id, task_id) references task,
    constraint assignment_person foreign key (organization_id, person_id)
                                 references person on delete cascade
);
create index assignment_person  on assignment (organization_id, person_id);
create index assignment_updated on assignment (organization_id, updated_at);

alter table handout           enable row level security;
alter table handout_recipient enable row level security;
alter table task              enable row level security;
alter table assignment        enable row level security;

comment on table  handout            is 'The homework that a teacher posts to a class or to chosen students of it.';
comment on column handout.recipients is 'class: whoever sits in it, also later; chosen: handout_recipient.';
comment on column handout.for_class_since is 'When it was given to the class after chosen students had it; before, it was not open to others.';
comment on column handout.publish_at is 'Null: a draft; in the future: scheduled; else published.';
comment on column handout.locked_at  is 'From then on nothing is recorded; null: open.';
comment on table  handout_recipient  is 'A student whom the teacher chose.';
comment on table  task               is 'One thing to do in a handout.';
comment on column task.class_id      is 'The class of the handout, repeated so that an upload finds its tasks by one index.';
comment on column task.title         is 'For a context the title it had when it was assigned.';
comment on column task.identifier_path is 'Of an appActivity, without the bundle id; {} is the app itself.';
comment on column task.recorded_path is 'The context whose activities count for the task; null: none do.';
comment on table  assignment         is 'One task for one student. The row is written at the first event; before, it is derived.';
