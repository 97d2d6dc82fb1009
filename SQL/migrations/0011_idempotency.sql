-- Idempotency keys: what a POST with a key was answered, so that its repetition does nothing twice.
--
-- The row is claimed at the beginning and completed at the end of the very transaction in which the call writes: either
-- both are there or neither. The primary key alone decides who was first; others that come while that transaction is
-- open wait for its row. Rows are of no use after a day, and removed.

create table idempotency_key (
    organization_id uuid           not null,
    caller          text           not null,
    route           text           not null,
    key             text           not null,
    request_digest  bytea          not null,
    sight           bytea,
    status          integer,
    headers         text[],
    body            bytea,
    expires_at      timestamptz(3) not null default date_trunc('milliseconds', now()) + interval '24 hours',

    constraint idempotency_key_pkey              primary key (organization_id, caller, route, key),
    constraint idempotency_key_organization      foreign key (organization_id) references organization,
    constraint idempotency_key_is_printable      check (key ~ '^[ -~]{1,255}$'),
    constraint idempotency_key_digest_length     check (octet_length(request_digest) = 32),
    constraint idempotency_key_took_effect       check (status between 200 and 299),
    constraint idempotency_key_headers_are_pairs check (cardinality(headers) % 2 = 0),
    constraint idempotency_key_body_is_bounded   check (octet_length(body) <= 1048576)
);
create index idempotency_key_expiry on idempotency_key (expires_at);

alter table idempotency_key enable row level security;

comment on table  idempotency_key is 'A POST that took effect, and what it was answered; for 24 hours.';
comment on column idempotency_key.caller is 'Who called and as what, as my_caller() says it.';
comment on column idempotency_key.route is 'Method and path, with the parameters of the path in braces.';
comment on column idempotency_key.request_digest is 'SHA-256 over everything that the call said.';
comment on column idempotency_key.sight is 'What the caller could see then, as my_sight() says it; else no replay.';
comment on column idempotency_key.status is 'Null only while the transaction that claimed the key is open.';
comment on column idempotency_key.headers is 'Name, value, name, value … of the answer.';
comment on column idempotency_key.body is 'Null: it was too long to be kept.';
