-- Activities: what students did, the links that say who may know, and the inbox of what apps report.
--
-- activity_assignment is the one home of the privacy rule: an activity is seen by others only through the assignments
-- that were open during its time, decided when it is first stored. The app chooses the id, so the key holds the
-- person: nobody can probe another's.
--
-- What an attempt came to is kept per task, in parts and in the link: what cuts an attempt off (a lock, a completion,
-- the next attempt) may become known after later parts have come, and what counts is then added up anew from those
-- that were changed before. Links and assignment_figures hold the sums, so that a report reads one row for each cell,
-- however many attempts there are.

create table activity (
    organization_id  uuid             not null,
    person_id        uuid             not null,
    activity_id      uuid             not null,
    environment      text             not null,
    bundle_id        text             not null,
    identifier_path  text[]           not null,
    arrived_at       timestamptz(3)   not null,
    created_at       timestamptz(3)   not null default date_trunc('milliseconds', now()),
    updated_at       timestamptz(3)   not null default date_trunc('milliseconds', now()),

    constraint activity_pkey        primary key (organization_id, person_id, activity_id),
    constraint activity_person      foreign key (organization_id, person_id) references person on delete cascade,
    constraint activity_environment check (environment in ('development', 'production'))
);

-- A part is kept for each task that was open during its time and not closed when it was changed.
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
    merged_seconds   bigint           not null default 0,

    constraint activity_part_pkey     primary key (organization_id, person_id, activity_id, task_id, digest),
    constraint activity_part_activity foreign key (organization_id, person_id, activity_id)
                                      references activity on delete cascade,
    constraint activity_part_duration_is_not_negative check (duration_seconds >= 0)
);

create table activity_assignment (
    organization_id  uuid             not null,
    person_id        uuid             not null,
    activity_id      uuid             not null,
    task_id          uuid             not null,
    handout_id       uuid             not null,
    class_id         uuid             not null,
    started_at       timestamptz(3)   not null,
    stopped_at       timestamptz(3),
    duration_seconds double precision not null,
    progress         double precision,
    kind             text,
    share            double precision,
    quantity         double precision,
    positive         boolean,
    primary_item     json,
    modified_at      timestamptz(3)   not null default date_trunc('milliseconds', now()),
    part_digest      bytea,
    is_cut           boolean          not null default false,
    is_shown         boolean          not null default true,
    created_at       timestamptz(3)   not null default date_trunc('milliseconds', now()),
    updated_at       timestamptz(3)   not null default date_trunc('milliseconds', now()),

    constraint activity_assignment_activity foreign key (organization_id, person_id, activity_id)
                                            references activity on delete cascade,
    constraint activity_assignment_task     foreign key (organization_id, task_id, handout_id, class_id)
                                            references task (organization_id, task_id, handout_id, class_id)
);
create index activity_assignment_class on activity_assignment (organization_id, class_id, updated_at);
-- The latest attempt of a student at a task is found, and all of them are read in their order, page by page. The
-- primary key is made after it: of two indexes that look equally good, as they do while the table is empty, PostgreSQL
-- takes the younger one, and a link would be looked for among all of its student.
create index activity_assignment_task on activity_assignment
    (organization_id, task_id, handout_id, class_id, person_id, started_at) include (activity_id);
alter table activity_assignment
    add constraint activity_assignment_pkey primary key (organization_id, person_id, activity_id, task_id);
-- How many attempts of a student at a task are hidden is asked at each upload, and mostly there are none.
create index activity_assignment_hidden on activity_assignment (organization_id, task_id, person_id)
    where not is_shown;

create table activity_item (
    organization_id uuid             not null,
    person_id       uuid             not null,
    activity_id     uuid             not null,
    task_id         uuid             not null,
    identifier      text             not null,
    position        integer          not null,
    is_primary      boolean          not null,
    kind            text             not null,
    title           text             not null,
    score           double precision,
    max_score       double precision,
    quantity        double precision,
    value           boolean,
    value_type      text,

    constraint activity_item_pkey     primary key (organization_id, person_id, activity_id, task_id, identifier),
    constraint activity_item_counts   foreign key (organization_id, person_id, activity_id, task_id)
                                      references activity_assignment on delete cascade,
    constraint activity_item_kind     check (kind in ('score', 'quantity', 'binary')),
    constraint activity_item_score    check ((kind = 'score') = (score is not null and max_score is not null)),
    constraint activity_item_score_is_within_its_maximum check (
        score >= 0 and score <= max_score and max_score > 0),
    constraint activity_item_quantity check ((kind = 'quantity') = (quantity is not null)),
    constraint activity_item_binary   check ((kind = 'binary') = (value is not null and value_type is not null)),
    constraint activity_item_value_type check (value_type in ('trueFalse', 'passFail', 'yesNo', 'correctIncorrect'))
);

-- Triggers on activity_assignment keep it (functions/activities). Sums are numerics, which come out the same in any
-- order.
create table assignment_figures (
    organization_id    uuid             not null,
    task_id            uuid             not null,
    person_id          uuid             not null,
    handout_id         uuid             not null,
    class_id           uuid             not null,
    attempts           integer          not null,
    progress_sum       numeric          not null,
    progress_count     integer          not null,
    duration_sum       numeric          not null,
    latest_activity_id uuid             not null,
    started_at         timestamptz(3)   not null,
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

-- What apps report is answered once it lies here, and stored afterwards. Every upload is one row, whoever the person is
-- and whatever is assigned, so that the time of the answer says nothing. Rows come and go by the thousand and live for
-- a fraction of a second: vacuum comes early, and documents are not compressed.
create table upload (
    organization_id uuid           not null,
    person_id       uuid           not null,
    upload_id       uuid           not null,
    kind            text           not null,
    environment     text           not null,
    bundle_id       text           not null,
    document        jsonb          not null,
    position        bigint         not null,
    arrived_at      timestamptz(3) not null,
    attempts        integer        not null default 0,
    retry_at        timestamptz(3),
    failed_at       timestamptz(3),
    failure         text,

    constraint upload_pkey            primary key (organization_id, person_id, upload_id),
    constraint upload_person          foreign key (organization_id, person_id) references person on delete cascade,
    constraint upload_kind            check (kind in ('activities', 'completion')),
    constraint upload_environment     check (environment in ('development', 'production')),
    constraint upload_says_why_it_failed check (failed_at is null or failure is not null)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 1000000000, toast.autovacuum_vacuum_scale_factor = 0,
        toast.autovacuum_vacuum_threshold = 5000);
alter table upload alter column document set storage external;

create table upload_receipt (
    organization_id uuid           not null,
    receipt_id      uuid           not null,
    arrived_at      timestamptz(3) not null,

    constraint upload_receipt_pkey         primary key (organization_id, receipt_id),
    constraint upload_receipt_organization foreign key (organization_id) references organization
);
-- Receipts come in the order of time.
create index upload_receipt_arrival on upload_receipt using brin (arrived_at) with (pages_per_range = 16);

alter table activity            enable row level security;
alter table activity_part       enable row level security;
alter table activity_assignment enable row level security;
alter table activity_item       enable row level security;
alter table assignment_figures  enable row level security;
alter table upload              enable row level security;
alter table upload_receipt      enable row level security;

comment on table  activity is 'One attempt of a student at a context.';
comment on column activity.identifier_path is 'Without the bundle id; {} is the app itself.';
comment on column activity.arrived_at is 'When it was first stored.';

comment on table  activity_part is 'What an app reported of an attempt at one time, as far as a task was open.';
comment on column activity_part.digest is
    'Of what the app sent, and of several the last. A part that is sent again has the same digest and is kept once.';
comment on column activity_part.items is 'The primary item or null, and the others.';
comment on column activity_part.merged_seconds is
    '0: as the app sent it. More: several that were changed within so many seconds, as one.';

comment on table  activity_assignment is
    'An activity counts for this task: the only way anybody but the student sees it.';
comment on column activity_assignment.class_id is 'The class of the task, for the policies of its teachers.';
comment on column activity_assignment.started_at is
    'Of its first part. Like all figures below it covers the parts that count for the task.';
comment on column activity_assignment.kind is 'Of the primary item; null: there is none.';
comment on column activity_assignment.share is 'The score of the primary item as a share of its maximum.';
comment on column activity_assignment.quantity is 'Of the primary item.';
comment on column activity_assignment.positive is 'The value of a binary primary item.';
comment on column activity_assignment.primary_item is 'As documents show it.';
comment on column activity_assignment.modified_at is 'When the app changed the last part that counts.';
comment on column activity_assignment.part_digest is 'Of the part whose items stay.';
comment on column activity_assignment.is_cut is 'Some of its parts came after the next attempt had begun.';
comment on column activity_assignment.is_shown is
    'No: all of them did, so that it counts for nothing but to end the one before.';
comment on column activity_assignment.updated_at is 'When the activity behind it changed last.';

comment on table  activity_item is 'A figure on an activity.';
comment on column activity_item.task_id is 'The task for which the items count.';

comment on table  assignment_figures is 'What the attempts of a student come to that count for a task.';
comment on column assignment_figures.progress_sum is 'Over the attempts that have progress.';
comment on column assignment_figures.progress_count is 'How many those are.';
comment on column assignment_figures.duration_sum is 'Over all attempts, in seconds.';
comment on column assignment_figures.latest_activity_id is
    'Of the latest attempt, like all columns below: the last that began; of two, the greater id.';

comment on table  upload is 'What an app reported and what is not stored yet, or could not be.';
comment on column upload.kind is 'activities, or completion: a context that the app calls done.';
comment on column upload.document is 'The activities as they were checked, or the identifier path.';
comment on column upload.position is 'Microseconds since 1970: the uploads of a person are stored in this order.';
comment on column upload.arrived_at is 'Assignments are judged by this moment.';
comment on column upload.attempts is
    'How often storing was stopped, by a timeout, a deadlock or a lost connection.';
comment on column upload.retry_at is 'Not tried again before that; null: at once.';
comment on column upload.failed_at is 'When it was given up until a server starts again; null: it waits its turn.';
comment on column upload.failure is 'SQLSTATE of the last failure.';
comment on table  upload_receipt is 'An upload came, whatever became of it; does not say whose, or what of.';
