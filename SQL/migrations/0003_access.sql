-- Access: who signs in, service accounts, and the tokens that speak for them.
--
-- A token is found before its organization is known, by an index on its digest alone.
--
-- A service account is never deleted: audit events name it. Its id is its client id; of its secret only the digest is
-- here. The secret has 256 random bits, so that one round of SHA-256 is enough, and a lock after wrong tries would
-- only let strangers stop the school's jobs (RFC 6749 section 4.4).

create table credential (
    organization_id uuid           not null,
    person_id       uuid           not null,
    password_record text           not null,
    is_temporary    boolean        not null default false,
    expires_at      timestamptz(3),
    failed_tries    integer        not null default 0,
    lock_count      integer        not null default 0,
    locked_until    timestamptz(3),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint credential_pkey   primary key (organization_id, person_id),
    constraint credential_person foreign key (organization_id, person_id) references person on delete cascade
);
create index credential_lock on credential (organization_id, locked_until) where locked_until is not null;

create table password_reset (
    organization_id       uuid           not null,
    reset_id              uuid           not null,
    person_id             uuid           not null,
    reset_at              timestamptz(3) not null default date_trunc('milliseconds', now()),
    standing              text           not null,
    by_person_id          uuid,
    by_service_account_id uuid,

    constraint password_reset_pkey   primary key (organization_id, reset_id),
    constraint password_reset_person foreign key (organization_id, person_id) references person on delete cascade
);
create index password_reset_person on password_reset (organization_id, person_id);
create index password_reset_by_person on password_reset (organization_id, by_person_id)
    where by_person_id is not null;

create table sign_in_device (
    organization_id uuid           not null,
    digest          bytea          not null,
    person_id       uuid           not null,
    session_id      uuid           not null,
    failed_tries    integer        not null default 0,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    expires_at      timestamptz(3) not null,

    constraint sign_in_device_pkey          primary key (organization_id, digest),
    constraint sign_in_device_person        foreign key (organization_id, person_id)
                                            references person on delete cascade,
    constraint sign_in_device_digest_length check (octet_length(digest) = 32)
);
create index sign_in_device_person on sign_in_device (organization_id, person_id, created_at);
create index sign_in_device_end    on sign_in_device (expires_at);

create table session (
    organization_id uuid           not null,
    session_id      uuid           not null,
    person_id       uuid           not null,
    app             text,
    environment     text           not null default 'production',
    wrong_changes   integer        not null default 0,
    started_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    ended_at        timestamptz(3),
    end_reason      text,

    constraint session_pkey              primary key (organization_id, session_id),
    constraint session_person            foreign key (organization_id, person_id) references person on delete cascade,
    constraint session_environment       check (environment in ('development', 'production')),
    constraint session_ends_for_a_reason check ((ended_at is null) = (end_reason is null))
);
create index session_person on session (organization_id, person_id) where ended_at is null;
create index session_person_ever on session (organization_id, person_id);

create table service_account (
    organization_id    uuid           not null,
    service_account_id uuid           not null,
    name               text           not null,
    role               text           not null,
    secret_digest      bytea          not null,
    secret_changed_at  timestamptz(3) not null default date_trunc('milliseconds', now()),
    expires_at         timestamptz(3),
    revoked_at         timestamptz(3),
    version            bigint         not null default 1,
    created_at         timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint service_account_pkey          primary key (organization_id, service_account_id),
    constraint service_account_organization  foreign key (organization_id) references organization,
    constraint service_account_has_a_name    check (name ~ '\S' and char_length(name) <= 256),
    constraint service_account_role          check (role in ('provisioner', 'exporter')),
    constraint service_account_digest_length check (octet_length(secret_digest) = 32)
);
create unique index service_account_client on service_account (service_account_id);

create table access_token (
    organization_id      uuid           not null,
    digest               bytea          not null,
    session_id           uuid,
    person_id            uuid,
    service_account_id   uuid,
    standing             text,
    app                  text,
    environment          text           not null default 'production',
    must_change_password boolean        not null default false,
    created_at           timestamptz(3) not null default date_trunc('milliseconds', now()),
    expires_at           timestamptz(3) not null,
    revoked_at           timestamptz(3),

    constraint access_token_pkey            primary key (organization_id, digest),
    constraint access_token_organization    foreign key (organization_id) references organization,
    constraint access_token_session         foreign key (organization_id, session_id) references session,
    constraint access_token_person          foreign key (organization_id, person_id)
                                            references person on delete cascade,
    constraint access_token_service_account foreign key (organization_id, service_account_id)
                                            references service_account,
    constraint access_token_digest_length   check (octet_length(digest) = 32),
    constraint access_token_environment     check (environment in ('development', 'production')),
    constraint access_token_standing        check (standing in ('provisioner', 'exporter', 'app',
        'administrator', 'siteManager', 'peopleManager', 'contentManager', 'manager', 'teacher', 'staff', 'student')),
    constraint access_token_service_is_nobody    check (
        (person_id is null) = coalesce(standing in ('provisioner', 'exporter'), false)),
    constraint access_token_account_is_a_service check (service_account_id is null or person_id is null),
    constraint access_token_app_is_an_app        check ((app is not null) = coalesce(standing = 'app', false))
);
create index access_token_digest  on access_token (digest);
create index access_token_session on access_token (organization_id, session_id);
create index access_token_person  on access_token (organization_id, person_id);
create index access_token_expiry  on access_token (expires_at);
create index access_token_service_account on access_token (organization_id, service_account_id, created_at);

create table refresh_token (
    organization_id uuid           not null,
    digest          bytea          not null,
    session_id      uuid           not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    expires_at      timestamptz(3) not null,
    rotated_at      timestamptz(3),

    constraint refresh_token_pkey          primary key (organization_id, digest),
    constraint refresh_token_session       foreign key (organization_id, session_id) references session,
    constraint refresh_token_digest_length check (octet_length(digest) = 32)
);
create index refresh_token_digest  on refresh_token (digest);
create index refresh_token_session on refresh_token (organization_id, session_id);
create index refresh_token_expiry  on refresh_token (expires_at);

alter table credential      enable row level security;
alter table password_reset  enable row level security;
alter table sign_in_device  enable row level security;
alter table session         enable row level security;
alter table service_account enable row level security;
alter table access_token    enable row level security;
alter table refresh_token   enable row level security;

comment on table  credential is 'What proves a password; no standing reads it.';
comment on column credential.password_record is 'scrypt parameters, salt and hash, made outside.';
comment on column credential.expires_at is 'A temporary password is void from this moment on; null: never.';
comment on column credential.lock_count is 'Locks since the last sign-in; each lasts twice as long as the one before.';

comment on table  password_reset is 'Somebody else replaced a person''s password; until the person confirms it.';
comment on column password_reset.standing is 'In which standing that was done; server: by the operator of the machine.';
comment on column password_reset.by_person_id is 'Who; null: no person, or one who was erased since.';

comment on table  sign_in_device is 'A device that a person signed in from; a lock does not keep it out.';
comment on column sign_in_device.digest is 'The SHA-256 of the secret that the device keeps.';
comment on column sign_in_device.session_id is 'The last sign-in from it; no key, it outlives the session.';
comment on column sign_in_device.failed_tries is
    'Wrong passwords from it since the last right one; ten make it a stranger.';

comment on table  session is 'One sign-in and all tokens that descend from it.';
comment on column session.app is 'The bundle id of the app that signed in; null: the person.';
comment on column session.wrong_changes is 'Wrong current passwords at changes of it; ten end the sign-in.';

comment on table  service_account is 'A script or job of the school that gets its tokens with a secret of its own.';
comment on column service_account.service_account_id is 'Also the client id.';
comment on column service_account.secret_digest is 'The SHA-256 of the secret; no standing reads it.';
comment on column service_account.expires_at is 'From this moment on it gets no tokens and has none; null: never.';
comment on column service_account.revoked_at is 'Revoked for good; kept because audit events name it.';

comment on table  access_token is 'The SHA-256 of a bearer token and what it stands for.';
comment on column access_token.service_account_id is 'Whose token it is; null: of a person, or made by the command.';
comment on column access_token.standing is
    'Of a service or an app, or one role of the person; null: all that the person holds now.';
comment on table  refresh_token is 'The SHA-256 of a refresh token; used twice, it ends its session.';
