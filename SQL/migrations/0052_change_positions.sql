-- Positions of changes: what a transaction noted gets one as it commits (functions/changes/numbering.sql), so that
-- nobody waits for transactions that are still running.
--
-- Positions were numbers of transactions. Those that clients and webhooks hold stay valid: what is noted already keeps
-- its number, and new positions, which are times in microseconds, are far above.

-- Waits for transactions that are noting changes. Those that come later run the trigger that marks them.
lock table change in share row exclusive mode;

create table change_transaction (
    organization_id uuid  not null,
    transaction     xid8  not null,
    position        bigint,

    constraint change_transaction_pkey primary key (organization_id, transaction)
);
insert into change_transaction (organization_id, transaction, position)
select distinct organization_id, transaction, transaction::text::bigint from change;
create unique index change_transaction_position on change_transaction (organization_id, position)
    where position is not null;

alter table change_feed alter column forgotten_through type bigint using forgotten_through::text::bigint;

alter table webhook add column sent_position bigint;
update webhook set sent_position = sent_transaction::text::bigint;
alter table webhook alter column sent_position set not null, drop column sent_transaction cascade;

alter table change_transaction enable row level security;

comment on table  change_transaction is 'A transaction that noted changes of an organization.';
comment on column change_transaction.position is 'Its place in the order of commits; null: it has not committed.';
comment on column change_feed.forgotten_through is 'The last position of which changes were forgotten; null: none.';
comment on column webhook.feed_id is 'Of which feed sent_position, sent_kind and sent_id are the position.';
