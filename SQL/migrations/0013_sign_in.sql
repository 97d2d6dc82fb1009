-- Sign-in: browsers that hold a sign-in, and what a person sees of each of his or her sign-ins.
--
-- The token of a browser lives as long as the browser is used: each renewal gives it its idle time again. It has no
-- refresh token, since whatever keeps the one would keep the other beside it.

alter table organization
    add column shared_device_idle_minutes integer not null default 60,
    add constraint organization_shared_device_idle_minutes check (shared_device_idle_minutes between 5 and 720);

alter table credential
    add column last_sign_in_at timestamptz(3);

alter table session
    add column kind         text           not null default 'password',
    add column user_agent   text,
    add column address      text,
    add column idle_seconds integer,
    add column last_used_at timestamptz(3) not null default date_trunc('milliseconds', now());
update session set kind = case when app is null then 'password' else 'app' end, last_used_at = started_at;
alter table session
    add constraint session_kind                  check (kind in ('password', 'browser', 'app')),
    add constraint session_of_browser_has_a_time check ((kind = 'browser') = (idle_seconds is not null)),
    add constraint session_user_agent_length     check (char_length(user_agent) between 1 and 512);

comment on column organization.shared_device_idle_minutes is
    'After how long without use a student''s sign-in ends in a browser on a shared device.';
comment on column credential.last_sign_in_at is 'When the person last signed in with the password.';
comment on column session.kind is 'What holds it: a browser, an app, or a script that sent the password.';
comment on column session.user_agent is 'What the browser calls itself.';
comment on column session.address is 'From where it was last begun, refreshed or renewed.';
comment on column session.idle_seconds is 'How long the token of a browser lives from each renewal on.';
comment on column session.last_used_at is 'When it was last begun, refreshed or renewed.';

-- Apps get tokens without ever seeing a password: by a code that the person's browser brings them (RFC 6749 section
-- 4.1), or by one that the person types in elsewhere (RFC 8628). Of each code that opens something only the digest is
-- here.

create table authorization_code (
    organization_id uuid           not null,
    digest          bytea          not null,
    person_id       uuid           not null,
    app             text           not null,
    environment     text           not null,
    redirect_uri    text           not null,
    challenge       text           not null,
    by_session_id   uuid,
    session_id      uuid,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    expires_at      timestamptz(3) not null,
    used_at         timestamptz(3),

    constraint authorization_code_pkey          primary key (organization_id, digest),
    constraint authorization_code_person        foreign key (organization_id, person_id)
                                                references person on delete cascade,
    constraint authorization_code_digest_length check (octet_length(digest) = 32),
    constraint authorization_code_environment   check (environment in ('development', 'production'))
);
create index authorization_code_digest on authorization_code (digest);
create index authorization_code_person on authorization_code (organization_id, person_id);
create index authorization_code_expiry on authorization_code (expires_at);

-- A request belongs to nobody until a person types its short code.
create table device_code (
    organization_id  uuid,
    digest           bytea          not null,
    user_code        text           not null,
    app              text           not null,
    environment      text           not null,
    person_id        uuid,
    by_session_id    uuid,
    is_allowed       boolean,
    requested_at     timestamptz(3) not null,
    expires_at       timestamptz(3) not null,
    asked_at         timestamptz(3),
    interval_seconds integer        not null default 5,
    used_at          timestamptz(3),

    constraint device_code_pkey                primary key (digest),
    constraint device_code_user_code_is_unique unique (user_code),
    constraint device_code_person              foreign key (organization_id, person_id)
                                               references person on delete cascade,
    constraint device_code_digest_length       check (octet_length(digest) = 32),
    constraint device_code_user_code           check (user_code ~ '^[BCDFGHJKLMNPQRSTVWXZ]{8}$'),
    constraint device_code_environment         check (environment in ('development', 'production')),
    constraint device_code_is_answered_by_one  check (
        (person_id is null) = (organization_id is null) and (person_id is null) = (is_allowed is null))
);
create index device_code_person on device_code (organization_id, person_id) where person_id is not null;
create index device_code_expiry on device_code (expires_at);

-- The key from which people's pseudonyms are derived. With it, pseudonyms can be traced back to people.
create table pseudonym_key (
    is_only boolean not null default true,
    key     bytea   not null,

    constraint pseudonym_key_pkey    primary key (is_only),
    constraint pseudonym_key_is_only check (is_only),
    constraint pseudonym_key_length  check (octet_length(key) = 32)
);
insert into pseudonym_key (key) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

alter table authorization_code enable row level security;
alter table device_code        enable row level security;
alter table pseudonym_key      enable row level security;

-- A refresh token that comes again because the answer was lost gets another pair, as long as that answer was not used.
alter table refresh_token
    add column next_digest        bytea,
    add column next_access_digest bytea;
alter table access_token
    add column awaits_use boolean not null default false;

comment on table  authorization_code is 'The SHA-256 of a code by which an app gets tokens that a person allowed it.';
comment on column authorization_code.challenge is 'The digest of what only the app knows, as it was sent (RFC 7636).';
comment on column authorization_code.by_session_id is 'The sign-in that allowed it; no key, it outlives the session.';
comment on column authorization_code.session_id is 'The sign-in that it began; no key, it outlives the session.';
comment on table  device_code is 'The request of an app on a device that has no browser, under a short code.';
comment on column device_code.is_allowed is 'What the person answered; null: nobody has yet.';
comment on column device_code.interval_seconds is 'How long the device has to wait between two questions.';
comment on table  pseudonym_key is 'The one key of the deployment for pseudonyms; only subject_of() reads it.';
comment on column refresh_token.next_digest is 'The refresh token that it gave last.';
comment on column refresh_token.next_access_digest is 'The access token that it gave last.';
comment on column access_token.awaits_use is 'Whether it came from a refresh and has not been used yet.';
