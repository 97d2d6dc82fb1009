-- Webhooks: addresses of other systems to which the server sends changes of the directory, signed as Standard Webhooks
-- says (https://www.standardwebhooks.com).
--
-- The changes themselves are the outbox: a webhook remembers how far it has sent them. What one call sends is a
-- delivery, which stays the same however often it is tried.

create table webhook (
    organization_id   uuid           not null,
    webhook_id        uuid           not null,
    name              text           not null,
    url               text           not null,
    kinds             text[]         not null,
    secret            bytea          not null,
    secret_changed_at timestamptz(3) not null default date_trunc('milliseconds', now()),
    former_secret     bytea,
    former_until      timestamptz(3),
    is_enabled        boolean        not null default true,
    disabled_because  text,
    failing_since     timestamptz(3),
    feed_id           uuid           not null,
    sent_transaction  xid8           not null,
    sent_kind         text           not null default '',
    sent_id           uuid           not null default '00000000-0000-0000-0000-000000000000',
    claimed_until     timestamptz(3) not null default '2000-01-01',
    version           bigint         not null default 1,
    created_at        timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at        timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint webhook_pkey             primary key (organization_id, webhook_id),
    constraint webhook_organization     foreign key (organization_id) references organization,
    constraint webhook_has_a_name       check (name ~ '\S' and char_length(name) <= 100),
    constraint webhook_url              check (url ~ '^https?://[^#]+$' and char_length(url) <= 1000),
    constraint webhook_kinds            check (cardinality(kinds) > 0
                                            and kinds <@ '{location,term,course,person,class,roster}'),
    constraint webhook_secret_length    check (octet_length(secret) between 24 and 64),
    constraint webhook_former_secret    check ((former_secret is null) = (former_until is null)),
    constraint webhook_disabled_because check (disabled_because is null
                                            or disabled_because in ('failing', 'gone') and not is_enabled)
);

create table webhook_delivery (
    organization_id uuid           not null,
    delivery_id     uuid           not null,
    webhook_id      uuid           not null,
    kind            text           not null,
    change_count    integer        not null,
    body            text           not null,
    tries           integer        not null default 0,
    next_attempt_at timestamptz(3),
    delivered_at    timestamptz(3),
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint webhook_delivery_pkey      primary key (organization_id, delivery_id),
    constraint webhook_delivery_webhook   foreign key (organization_id, webhook_id)
                                          references webhook on delete cascade,
    constraint webhook_delivery_kind      check (kind in ('changes', 'test')),
    constraint webhook_delivery_is_waiting_or_delivered check (next_attempt_at is null or delivered_at is null)
);
create index webhook_delivery_webhook on webhook_delivery (organization_id, webhook_id, delivery_id);
create index webhook_delivery_created on webhook_delivery (created_at);

create table webhook_attempt (
    organization_id uuid           not null,
    delivery_id     uuid           not null,
    number          integer        not null,
    at              timestamptz(3) not null,
    status          integer,
    failure         text,
    milliseconds    integer        not null,

    constraint webhook_attempt_pkey        primary key (organization_id, delivery_id, number),
    constraint webhook_attempt_delivery    foreign key (organization_id, delivery_id)
                                           references webhook_delivery on delete cascade,
    constraint webhook_attempt_has_an_outcome check ((status is null) <> (failure is null))
);

alter table webhook          enable row level security;
alter table webhook_delivery enable row level security;
alter table webhook_attempt  enable row level security;

comment on table  webhook is 'An address of another system that is sent changes of the directory.';
comment on column webhook.secret is
    'What deliveries are signed with. No role reads it; claim_webhook_calls() hands it to the server.';
comment on column webhook.former_secret is 'Signs beside the new one until former_until.';
comment on column webhook.disabled_because is
    'failing: nothing was delivered for three days; gone: the receiver answered 410; null: it is not, or by an '
    'administrator.';
comment on column webhook.failing_since is
    'The first failure after the last success; null: the last attempt succeeded.';
comment on column webhook.feed_id is 'Of which feed sent_transaction, sent_kind and sent_id are the position.';
comment on column webhook.claimed_until is 'Until then a process is calling it; in the past: none is.';
comment on table  webhook_delivery is 'What is sent in one call, until it is delivered; kept for a week.';
comment on column webhook_delivery.body is 'JSON with ids and no names.';
comment on column webhook_delivery.tries is 'Attempts that failed since it was made or ordered again.';
comment on column webhook_delivery.next_attempt_at is 'Null: delivered, or given up.';
comment on table  webhook_attempt is 'One call of a webhook: the status that it answered, or why it did not.';
