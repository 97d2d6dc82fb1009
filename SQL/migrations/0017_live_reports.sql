-- Live reports: which reports someone watches, so that changes of others are announced to nobody.
--
-- An announcement makes the commits of all transactions that announce something wait for each other, so uploads do not
-- pay for reports that nobody watches. Rows live for 90 seconds unless they are renewed, and are not worth a write to
-- the disk: after a crash the servers write them again.

create unlogged table watched_report (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    watched_until   timestamptz(3) not null,

    constraint watched_report_pkey    primary key (organization_id, handout_id),
    constraint watched_report_handout foreign key (organization_id, handout_id) references handout
);

alter table watched_report enable row level security;

comment on table  watched_report is 'A handout whose report a server sends to someone as it changes.';
comment on column watched_report.watched_until is 'Until then changes are announced, unless the server asks again.';
