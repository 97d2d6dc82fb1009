-- OneRoster over REST: service accounts that read the roster, tokens that are limited to scopes, and the revision of
-- the roster.

alter table service_account
    drop constraint service_account_role,
    add constraint service_account_role check (role in ('provisioner', 'exporter', 'rosterReader'));

alter table access_token
    drop constraint access_token_standing,
    drop constraint access_token_service_is_nobody,
    add column scopes text[],
    add constraint access_token_standing check (standing in ('provisioner', 'exporter', 'rosterReader', 'app', 'system',
        'administrator', 'siteManager', 'peopleManager', 'contentManager', 'manager', 'teacher', 'staff', 'student')),
    add constraint access_token_service_is_nobody check (
        (person_id is null) = coalesce(standing in ('provisioner', 'exporter', 'rosterReader'), false)),
    add constraint access_token_roster_readers_have_scopes check (
        scopes is null or coalesce(standing = 'rosterReader', false));
comment on column access_token.scopes is 'What it is limited to; null: it is not.';

-- Transactions that change the roster at once do not wait for each other: each adds a row, and the sum of them is the
-- revision. Rows are added up later, which leaves the sum as it is.
create table roster_change (
    organization_id uuid           not null,
    change_id       uuid           not null,
    changes         bigint         not null default 1,
    changed_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint roster_change_pkey          primary key (organization_id, change_id),
    constraint roster_change_organization  foreign key (organization_id) references organization,
    constraint roster_change_counts_some   check (changes > 0)
);
alter table roster_change enable row level security;
comment on table  roster_change is 'Transactions that changed the roster; their sum is its revision.';
comment on column roster_change.changes is 'How many were added up in this row.';

-- The roster also changes when a seat begins or ends.
create index seat_joined on seat (organization_id, joined_at);
create index seat_left   on seat (organization_id, left_at) where left_at is not null;
