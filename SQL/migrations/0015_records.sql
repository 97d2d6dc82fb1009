-- Records: the chain that seals audit events, and what erasing a person needs.
--
-- Events are never touched after they are written, with one exception: the address from which an erased
-- person acted is personal, and goes. So that the seals hold all the same, an event carries a digest of its
-- address with a salt, and the chain covers that digest; without the salt nobody finds the address by trying.
--
-- What is not sealed yet stands in audit_unsealed, written by the transaction of the event itself: a
-- transaction that commits late brings its event into the next batch, never into one that is sealed, whatever
-- the clock or the numbers of transactions say. So a database that was restored elsewhere goes on like any other.

set local role school_owner;
set local search_path = school, pg_temp;

alter table audit_event
    add column address_salt   bytea,
    add column address_digest bytea;
update audit_event set address_salt = uuid_send(gen_random_uuid()) where address is not null;
update audit_event set address_digest = sha256(address_salt || convert_to(address, 'UTF8'))
 where address is not null;

create index audit_event_person  on audit_event (organization_id, person_id, arrived_at desc, event_id desc);
create index audit_event_subject on audit_event (organization_id, subject_id, arrived_at desc, event_id desc);
create index audit_event_kind_of on audit_event (organization_id, kind, arrived_at desc, event_id desc);

create table audit_unsealed (
    organization_id uuid           not null,
    arrived_at      timestamptz(3) not null,
    event_id        uuid           not null,

    constraint audit_unsealed_pkey         primary key (organization_id, arrived_at, event_id),
    constraint audit_unsealed_organization foreign key (organization_id) references organization
);
insert into audit_unsealed (organization_id, arrived_at, event_id)
select organization_id, arrived_at, event_id from audit_event;

create table audit_seal (
    organization_id uuid           not null,
    number          bigint         not null,
    event_ids       uuid[]         not null,
    event_digests   bytea[]        not null,
    last_arrived_at timestamptz(3) not null,
    previous_digest bytea          not null,
    digest          bytea          not null,
    sealed_at       timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint audit_seal_pkey              primary key (organization_id, number),
    constraint audit_seal_organization      foreign key (organization_id) references organization,
    constraint audit_seal_counts_from_one   check (number >= 1),
    constraint audit_seal_holds_an_event    check (cardinality(event_ids) >= 1
        and cardinality(event_ids) = cardinality(event_digests)),
    constraint audit_seal_digest_length     check (octet_length(digest) = 32 and octet_length(previous_digest) = 32)
);

alter table audit_unsealed enable row level security;
alter table audit_seal     enable row level security;

comment on column audit_event.address_salt   is 'Sixteen random bytes; gone with the address.';
comment on column audit_event.address_digest is 'SHA-256 over salt and address; stays when both are gone.';
comment on table  audit_unsealed is 'An event that no seal covers yet.';
comment on table  audit_seal     is 'A batch of audit events and its place in the chain of the organization.';
comment on column audit_seal.event_ids is 'What it covers, in the order in which it is digested.';
comment on column audit_seal.event_digests is 'The digest of each of them, so that a changed one is named.';
comment on column audit_seal.last_arrived_at is 'The latest moment of an event that it covers.';
comment on column audit_seal.previous_digest is 'The digest of the seal before; 32 zero bytes before the first.';
comment on column audit_seal.digest is 'SHA-256 over the previous digest, organization, number, moments, ids and digests.';

-- A handout outlives the teacher who wrote it: the class goes on with it.
alter table handout alter column author_id drop not null;
comment on column handout.author_id is 'Null: the author was erased.';
