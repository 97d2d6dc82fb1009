-- Activities: what students did, and the links that say who may know.
--
-- activity_assignment is the one home of the privacy rule: an activity is seen by others only
-- through the assignments that were open during its time, decided when it is first stored.
-- The app chooses the id, so the key holds the person: nobody can probe another's.

set local role school_owner;
set local search_path = school, pg_temp;

create table activity (
    organization_id  uuid             not null,
    person_id        uuid             not null,
    activity_id      uuid             not null,
    environment      text             not null,
    bundle_id        text             not null,
    identifier_path  text[]           not null,
    started_at       timestamptz(3)   not null,
    stopped_at       timestamptz(3),
    duration_seconds double precision not null default 0,
    progress_ranges  nummultirange    not null default '{}',
    progress         double precision,
    modified_at      timestamptz(3)   not null,
    items_digest     bytea            not null,
    arrived_at       timestamptz(3)   not null,
    created_at       timestamptz(3)   not null default date_trunc('milliseconds', now()),
    updated_at       timestamptz(3)   not null default date_trunc('milliseconds', now()),

    constraint activity_pkey         primary key (organization_id, person_id, activity_id),
    constraint activity_person       foreign key (organization_id, person_id)
                                     references person on delete cascade,
    constraint activity_environment  check (environment in ('development', 'production')),
    constraint activity_duration_is_not_negative check (duration_seconds >= 0),
    constraint activity_progress     check (progress between 0 and 1),
    constraint activity_progress_ranges check (progress_ranges <@ '{[0,1)}'::nummultirange)
);
create index activity_updated on activity (organization_id, updated_at);

create table activity_item (
    organization_id uuid             not null,
    person_id       uuid             not null,
    activity_id     uuid             not null,
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

    constraint activity_item_pkey     primary key (organization_id, person_id, activity_id, identifier),
    constraint activity_item_activity foreign key (organization_id, person_id, activity_id)
                                      references activity on delete cascade,
    constraint activity_item_kind     check (kind in ('score', 'quantity', 'binary')),
    constraint activity_item_score    check ((kind = 'score') = (score is not null and max_score is not null)),
    constraint activity_item_score_is_within_its_maximum check (score between 0 and max_score and max_score > 0),
    constraint activity_item_quantity check ((kind = 'quantity') = (quantity is not null)),
    constraint activity_item_binary   check ((kind = 'binary') = (value is not null and value_type is not null)),
    constraint activity_item_value_type check (value_type in ('trueFalse', 'passFail', 'yesNo', 'correctIncorrect'))
);

create table activity_assignment (
    organization_id uuid           not null,
    person_id       uuid           not null,
    activity_id     uuid           not null,
    task_id         uuid           not null,
    handout_id      uuid           not null,
    class_id        uuid           not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint activity_assignment_pkey     primary key (organization_id, person_id, activity_id, task_id),
    constraint activity_assignment_activity foreign key (organization_id, person_id, activity_id)
                                            references activity on delete cascade,
    constraint activity_assignment_task     foreign key (organization_id, task_id, handout_id, class_id)
                                            references task (organization_id, task_id, handout_id, class_id)
);
create index activity_assignment_task on activity_assignment (organization_id, task_id, handout_id, class_id);

create table upload_receipt (
    organization_id uuid           not null,
    receipt_id      uuid           not null,
    arrived_at      timestamptz(3) not null,

    constraint upload_receipt_pkey         primary key (organization_id, receipt_id),
    constraint upload_receipt_organization foreign key (organization_id) references organization
);

alter table activity            enable row level security;
alter table activity_item       enable row level security;
alter table activity_assignment enable row level security;
alter table upload_receipt      enable row level security;

comment on table  activity            is 'One attempt of a student at a context.';
comment on column activity.identifier_path is 'Without the bundle id; {} is the app itself.';
comment on column activity.stopped_at is 'The latest that was reported; null: still running as far as we know.';
comment on column activity.progress_ranges is 'The union of all ranges that were reported.';
comment on column activity.progress   is 'The length of that union; null: no range was ever reported.';
comment on column activity.items_digest is 'Breaks the tie between uploads with the same modified_at.';
comment on column activity.arrived_at is 'When it was first stored.';
comment on table  activity_item       is 'A figure on an activity.';
comment on table  activity_assignment is 'An activity counts for this task: the only way anybody but the student sees it.';
comment on column activity_assignment.class_id is 'The class of the task, for the policies of its teachers.';
comment on table  upload_receipt      is 'An upload came, whatever became of it; does not say whose, or what of.';
