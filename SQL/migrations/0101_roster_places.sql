-- OneRoster: earlier revisions of the roster are kept no more. A page begins behind the last object of the page before.
-- Where each page of a client ends that only counts is noted here for an hour. It is not worth a write to the disk: after
-- a crash such a page is found by counting.
--
-- The former tables go at once, as those of 0100 did: no release has them.
drop table roster_snapshot, roster_traversal;

create unlogged table roster_place (
    organization_id uuid           not null,
    account         text           not null,
    request         bytea          not null,
    place           bigint         not null,
    token           text           not null,
    sourced_id      text           not null,
    sorted_by       text,
    revision        text,
    noted_at        timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint roster_place_pkey         primary key (organization_id, account, request, place, token),
    constraint roster_place_organization foreign key (organization_id) references organization,
    constraint roster_place_account_is_short    check (length(account) <= 100),
    constraint roster_place_token_is_short      check (length(token) <= 100),
    constraint roster_place_request_is_a_digest check (octet_length(request) = 32),
    constraint roster_place_is_behind_an_object check (place > 0),
    constraint roster_place_revision_is_short   check (length(revision) between 1 and 100)
);
create index roster_place_noted on roster_place (noted_at);
create index roster_place_order on roster_place (organization_id, account, noted_at);
alter table roster_place enable row level security;
comment on table  roster_place is 'How far a service account has read a collection of the roster or the gradebook.';
comment on column roster_place.account is 
    'The service account, or the digits by which audit events name a token without one.';
comment on column roster_place.request is 'Digest of path, filter and order.';
comment on column roster_place.place is 'How many objects the client counts up to there.';
comment on column roster_place.token is 'The digits by which audit events name the token that read.';
comment on column roster_place.sourced_id is 'The last object that it read.';
comment on column roster_place.sorted_by is 'As text, what that is sorted by; null: nothing, or its sourcedId alone.';
comment on column roster_place.revision is
    'The revision of the roster of which all pages up to there were; null: of several, or of what has none.';

-- The order of a system's own grades by their sourcedIds, in which it reads them page by page. The expression is that of
-- oneroster_id().
create index grade_sourced_id on grade (
    organization_id, service_account_id, (coalesce(source_id, grade_id::text)) collate "C") where deleted_at is null;
