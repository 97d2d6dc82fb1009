-- OneRoster: which revisions of the roster are kept, so that other systems read all pages of one of them.
--
-- A server keeps a snapshot of the whole database open, and every server reads earlier revisions in it: nothing is
-- copied. Neither table is worth a write to the disk: a crash ends the snapshots, too.

create unlogged table roster_snapshot (
    organization_id uuid           not null,
    revision        text           not null,
    snapshot        text           not null,
    taken_at        timestamptz(3) not null,
    erasures        bigint         not null,
    schema_sha256   bytea          not null,
    used_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint roster_snapshot_pkey         primary key (organization_id, revision),
    constraint roster_snapshot_organization foreign key (organization_id) references organization,
    constraint roster_snapshot_is_a_name    check (snapshot ~ '^[0-9A-F]{1,16}(-[0-9A-F]{1,16}){1,3}$'),
    constraint roster_snapshot_revision_is_short check (length(revision) between 1 and 100)
);
create index roster_snapshot_name on roster_snapshot (snapshot);
create index roster_snapshot_used on roster_snapshot (used_at);
alter table roster_snapshot enable row level security;
comment on table  roster_snapshot is
    'A revision of the roster that can still be read, in a snapshot of the database that a server keeps.';
comment on column roster_snapshot.snapshot is 'As pg_export_snapshot() named it; gone with the server that keeps it.';
comment on column roster_snapshot.taken_at is
    'The moment at which it shows the roster: seats begin and end as time passes.';
comment on column roster_snapshot.erasures is
    'How many people it shows as erased since the day before; if there are more by now, it is not read.';
comment on column roster_snapshot.schema_sha256 is
    'The schema that it shows: a table that was rewritten since would look empty in it.';

create unlogged table roster_traversal (
    organization_id uuid           not null,
    account         text           not null,
    request         bytea          not null,
    revision        text           not null,
    began_at        timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint roster_traversal_pkey         primary key (organization_id, account, request),
    constraint roster_traversal_organization foreign key (organization_id) references organization,
    constraint roster_traversal_account_is_short    check (length(account) <= 100),
    constraint roster_traversal_revision_is_short   check (length(revision) between 1 and 100),
    constraint roster_traversal_request_is_a_digest check (octet_length(request) = 32)
);
create index roster_traversal_began on roster_traversal (began_at);
create index roster_traversal_order on roster_traversal (organization_id, account, began_at);
alter table roster_traversal enable row level security;
comment on table  roster_traversal is
    'In which revision of the roster a service account reads a collection page by page.';
comment on column roster_traversal.account is
    'The service account, or the digits by which audit events name a token without one.';
comment on column roster_traversal.request is 'Digest of path, filter and order.';

-- How many people were erased since.
create index deletion_of_people on deletion (organization_id, deleted_at) where kind = 'person';
