-- The end of data: how long an organization keeps what, what must not go, and the end of a whole organization.
--
-- Nothing goes without a decision: a kind without a rule, or whose rule has neither years nor days, is kept for good.
-- A rule that is set or shortened takes effect thirty days later (functions/retention). An audit trail that lost its
-- oldest events keeps the last seal of them and the cut, so that what is left can be proven.

create table retention_rule (
    organization_id uuid           not null,
    kind            text           not null,
    years           integer,
    days            integer,
    set_at          timestamptz(3) not null default date_trunc('milliseconds', now()),
    effective_at    timestamptz(3) not null,
    removed_before  timestamptz(3),

    constraint retention_rule_pkey             primary key (organization_id, kind),
    constraint retention_rule_organization     foreign key (organization_id) references organization,
    constraint retention_rule_kind             check (kind in ('activities', 'auditEvents', 'exports', 'handouts')),
    constraint retention_rule_has_one_unit     check (num_nonnulls(years, days) <= 1),
    constraint retention_rule_years            check (years between 1 and 100),
    constraint retention_rule_days             check (days between 30 and 36500)
);

create table retention_hold (
    organization_id uuid           not null,
    hold_id         uuid           not null,
    person_id       uuid,
    class_id        uuid,
    reason          text           not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint retention_hold_pkey           primary key (organization_id, hold_id),
    constraint retention_hold_person         foreign key (organization_id, person_id) references person,
    constraint retention_hold_class          foreign key (organization_id, class_id) references class,
    constraint retention_hold_is_for_one     check (num_nonnulls(person_id, class_id) = 1),
    constraint retention_hold_reason_length  check (char_length(reason) between 1 and 1000)
);
create index retention_hold_person on retention_hold (organization_id, person_id) where person_id is not null;
create index retention_hold_class  on retention_hold (organization_id, class_id)  where class_id is not null;

-- One row for each organization: the last night, and how far it came.
create table retention_night (
    organization_id uuid           not null,
    night           date           not null,
    counts          jsonb          not null default '{}',
    finished_at     timestamptz(3),

    constraint retention_night_pkey         primary key (organization_id),
    constraint retention_night_organization foreign key (organization_id) references organization
);

create table organization_deletion (
    organization_id uuid           not null,
    ordered_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    due_at          timestamptz(3) not null,
    begun_at        timestamptz(3),

    constraint organization_deletion_pkey         primary key (organization_id),
    constraint organization_deletion_organization foreign key (organization_id) references organization,
    constraint organization_deletion_waits        check (due_at > ordered_at)
);

create table audit_cut (
    organization_id uuid           not null,
    number          bigint         not null,
    digest          bytea          not null,
    cut_at          timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint audit_cut_pkey            primary key (organization_id),
    constraint audit_cut_organization    foreign key (organization_id) references organization,
    constraint audit_cut_digest_length   check (octet_length(digest) = 32)
);

-- A correction keeps what a person's record said before.
create table person_correction (
    organization_id uuid           not null,
    correction_id   uuid           not null,
    person_id       uuid           not null,
    corrected_at    timestamptz(3) not null default date_trunc('milliseconds', now()),
    corrected_by    uuid,
    was             jsonb          not null,

    constraint person_correction_pkey   primary key (organization_id, correction_id),
    constraint person_correction_person foreign key (organization_id, person_id) references person on delete cascade
);
create index person_correction_person on person_correction (organization_id, person_id, corrected_at);

-- Activities come in the order of time.
create index activity_arrival on activity using brin (arrived_at) with (pages_per_range = 32);

alter table retention_rule        enable row level security;
alter table retention_hold        enable row level security;
alter table retention_night       enable row level security;
alter table organization_deletion enable row level security;
alter table audit_cut             enable row level security;
alter table person_correction     enable row level security;

comment on table  retention_rule is 'How long an organization keeps a kind of data; without years and days, for good.';
comment on column retention_rule.effective_at is 'Nothing goes before; thirty days after it was set or shortened.';
comment on column retention_rule.removed_before is
    'What is older was removed, as far as no hold kept it; null: nothing was.';
comment on table  retention_hold is 'Data of a person or a class that must not be removed.';
comment on column retention_hold.reason is 'Why, for the administrators.';
comment on table  retention_night is 'What the rules of an organization removed in its last night.';
comment on column retention_night.counts is 'How many rows of each kind.';
comment on column retention_night.finished_at is 'Null: there may be more to remove.';
comment on table  organization_deletion is
    'An organization that is deleted when its time has come, unless that is cancelled.';
comment on column organization_deletion.begun_at is 'When the first rows were removed; from then on it cannot be cancelled.';
comment on table  audit_cut is 'The end of what was removed from an audit trail: the seal that is kept of it.';
comment on column audit_cut.digest is 'Of that seal; an event of the kind retention says the same.';
comment on table  person_correction is 'What the record of a person said before it was corrected.';
comment on column person_correction.corrected_by is
    'Who corrected it; null: a service, the operator, or someone erased since.';
comment on column person_correction.was is 'The former values of what changed, by the names of the API.';
