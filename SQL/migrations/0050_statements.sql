-- xAPI: which statements of apps have arrived, so that one is taken once, and another one of the same id is refused.
--
-- A receipt is left for every statement, whatever becomes of it. It must not show what a person did where nothing was
-- assigned. So it names neither the person nor the app: both are in its digest with the id of the statement, which only
-- the app knows.

create table statement_receipt (
    organization_id uuid           not null,
    statement       bytea          not null,
    content         bytea          not null,
    arrived_at      timestamptz(3) not null,

    constraint statement_receipt_pkey         primary key (organization_id, statement),
    constraint statement_receipt_organization foreign key (organization_id) references organization,
    constraint statement_receipt_statement_is_a_digest check (octet_length(statement) = 32),
    constraint statement_receipt_content_is_a_digest   check (octet_length(content) = 32)
);
-- Receipts come in the order of time.
create index statement_receipt_arrival on statement_receipt using brin (arrived_at) with (pages_per_range = 16);

alter table statement_receipt enable row level security;

comment on table  statement_receipt is
    'A statement came, whatever became of it; does not say whose, or what of. Kept for 31 days.';
comment on column statement_receipt.statement is 'Digest of person, app, environment and the id of the statement.';
comment on column statement_receipt.content is 'Digest of the id and the content, without what a server may add.';
comment on column activity_part.items is
    'The primary item or null, and the others; empty: the part says nothing about items.';
