-- Audit: who did what, when, from where, and the chain that seals it. Nobody changes or removes an event.
--
-- Partitioned by the month of arrival. make_audit_months() makes the months ahead; what has no month lands in the
-- default partition, so that an event is never refused. audit_kinds() lists the kinds of events.
--
-- Events are never touched after they are written, with one exception: the address from which an erased person acted
-- is personal, and goes. So that the seals hold all the same, an event carries a digest of its address with a salt, and
-- the chain covers that digest; without the salt nobody finds the address by trying.
--
-- What is not sealed yet stands in audit_unsealed, written by the transaction of the event itself: a transaction that
-- commits late brings its event into the next batch, never into one that is sealed, whatever the clock or the numbers
-- of transactions say. So a database that was restored elsewhere goes on like any other.

create table audit_event (
    organization_id    uuid           not null,
    arrived_at         timestamptz(3) not null default date_trunc('milliseconds', now()),
    event_id           uuid           not null,
    kind               text           not null,
    standing           text           not null,
    person_id          uuid,
    service_account_id uuid,
    session_id         uuid,
    token_id           text,
    app                text,
    address            text,
    address_salt       bytea,
    address_digest     bytea,
    subject_kind       text,
    subject_id         text,
    details            jsonb          not null default '{}',

    constraint audit_event_pkey         primary key (organization_id, arrived_at, event_id),
    constraint audit_event_organization foreign key (organization_id) references organization
) partition by range (arrived_at);
create table audit_event_default partition of audit_event default;

create index audit_event_person  on audit_event (organization_id, person_id, arrived_at desc, event_id desc);
create index audit_event_subject on audit_event (organization_id, subject_id, arrived_at desc, event_id desc);
create index audit_event_kind_of on audit_event (organization_id, kind, arrived_at desc, event_id desc);
create index audit_event_service_account
    on audit_event (organization_id, service_account_id, arrived_at desc, event_id desc)
    where service_account_id is not null;
create index audit_event_session on audit_event (organization_id, session_id, arrived_at desc, event_id desc)
    where session_id is not null;
create index audit_event_token on audit_event (organization_id, token_id, arrived_at desc, event_id desc)
    where token_id is not null;

create table audit_unsealed (
    organization_id uuid           not null,
    arrived_at      timestamptz(3) not null,
    event_id        uuid           not null,

    constraint audit_unsealed_pkey         primary key (organization_id, arrived_at, event_id),
    constraint audit_unsealed_organization foreign key (organization_id) references organization
);

create table audit_seal (
    organization_id uuid           not null,
    number          bigint         not null,
    event_ids       uuid[]         not null,
    event_digests   bytea[]        not null,
    last_arrived_at timestamptz(3) not null,
    previous_digest bytea          not null,
    digest          bytea          not null,
    sealed_at       timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint audit_seal_pkey            primary key (organization_id, number),
    constraint audit_seal_organization    foreign key (organization_id) references organization,
    constraint audit_seal_counts_from_one check (number >= 1),
    constraint audit_seal_holds_an_event  check (
        cardinality(event_ids) >= 1 and cardinality(event_ids) = cardinality(event_digests)),
    constraint audit_seal_digest_length   check (octet_length(digest) = 32 and octet_length(previous_digest) = 32)
);

alter table audit_event         enable row level security;
alter table audit_event_default enable row level security;
alter table audit_unsealed      enable row level security;
alter table audit_seal          enable row level security;

comment on table  audit_event is 'Something that happened and must stay known.';
comment on column audit_event.standing is 'As what the actor acted; server: before anybody was known.';
comment on column audit_event.person_id is 'Who acted; no key, an event outlives the person.';
comment on column audit_event.service_account_id is 'Which service account acted; no key, as with persons.';
comment on column audit_event.session_id is 'The sign-in whose token acted; null: a token without one, or none.';
comment on column audit_event.token_id is
    'The token that acted: the first 16 hexadecimal digits of its SHA-256, of which it cannot be made; null: none.';
comment on column audit_event.address_salt is 'Sixteen random bytes; gone with the address.';
comment on column audit_event.address_digest is 'SHA-256 over salt and address; stays when both are gone.';
comment on column audit_event.subject_id is 'An id, never a name.';

comment on table  audit_unsealed is 'An event that no seal covers yet.';
comment on table  audit_seal is 'A batch of audit events and its place in the chain of the organization.';
comment on column audit_seal.event_ids is 'What it covers, in the order in which it is digested.';
comment on column audit_seal.event_digests is 'The digest of each of them, so that a changed one is named.';
comment on column audit_seal.last_arrived_at is 'The latest moment of an event that it covers.';
comment on column audit_seal.previous_digest is 'The digest of the seal before; 32 zero bytes before the first.';
comment on column audit_seal.digest is
    'SHA-256 over the previous digest, organization, number, moments, ids and digests.';
