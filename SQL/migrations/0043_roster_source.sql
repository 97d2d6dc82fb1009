-- Roster sources: the OneRoster provider from which an organization's directory is pulled every night, over REST, as an
-- import.
--
-- The client secret is here only sealed, with a key that is not in the database. What a pull brings is an import like
-- any other: it is planned, checked and perhaps approved as an archive is.

create table roster_source (
    organization_id uuid           not null,
    url             text           not null,
    token_url       text           not null,
    client_id       text           not null,
    sealed_secret   bytea          not null,
    key_id          text           not null,
    pull_time       text           not null default '02:30',
    is_enabled      boolean        not null default true,
    next_pull_at    timestamptz(3),
    ordered_at      timestamptz(3),
    claim_id        uuid,
    claimed_until   timestamptz(3) not null default '2000-01-01',
    attempts        integer        not null default 0,
    tries           integer        not null default 0,
    started_at      timestamptz(3),
    finished_at     timestamptz(3),
    failure         text,
    failure_detail  text,
    failing_since   timestamptz(3),
    last_import_id  uuid,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint roster_source_pkey         primary key (organization_id),
    constraint roster_source_organization foreign key (organization_id) references organization,
    constraint roster_source_url          check (url ~ '^https?://[^?#]+$' and char_length(url) <= 1000),
    constraint roster_source_token_url    check (token_url ~ '^https?://[^#]+$' and char_length(token_url) <= 1000),
    constraint roster_source_client_id    check (char_length(client_id) between 1 and 255),
    constraint roster_source_secret_is_sealed check (octet_length(sealed_secret) between 29 and 2000),
    constraint roster_source_key_id       check (char_length(key_id) between 1 and 64),
    constraint roster_source_pull_time    check (pull_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    constraint roster_source_failure_is_explained check ((failure is null) = (failure_detail is null))
);

alter table roster_source enable row level security;

comment on table  roster_source is 'The OneRoster provider from which the directory is pulled every night.';
comment on column roster_source.url is 'Below which the collections are: it ends in /v1p1 or /v1p2.';
comment on column roster_source.token_url is 'Where access tokens are asked for, with the client id and its secret.';
comment on column roster_source.sealed_secret is
    'The client secret under AES-256-GCM, bound to this organization, both URLs and the client id. No role reads it; '
    'claim_roster_pull() hands it to the server.';
comment on column roster_source.key_id is 'With which key the secret is sealed: a digest of it. The key is in a file.';
comment on column roster_source.pull_time is 'When to pull, by the clock of the organization, as 02:30.';
comment on column roster_source.next_pull_at is 'When the next pull is due; null: pulls are turned off.';
comment on column roster_source.ordered_at is 'When an administrator ordered a pull that has not begun; null: none.';
comment on column roster_source.claim_id is 'Which pull is running, or was when its process died; null: none.';
comment on column roster_source.claimed_until is 'Until then a process is pulling; it says again and again that it is.';
comment on column roster_source.attempts is 'How often the pull was begun; one that ends its processes is given up.';
comment on column roster_source.tries is 'Pulls that failed this night.';
comment on column roster_source.started_at is 'When the last pull began; null: none did.';
comment on column roster_source.finished_at is 'When the last pull ended; null: none did.';
comment on column roster_source.failure is 'Why the last pull failed, in a word for programs; null: it did not.';
comment on column roster_source.failure_detail is 'The same in a sentence, without names of people.';
comment on column roster_source.failing_since is 'The first failure after the last success; null: the last succeeded.';
comment on column roster_source.last_import_id is
    'What the last pull brought; null: nothing yet. No key: imports are forgotten after a time.';
