-- Access: organizations, who signs in, and the tokens that speak for them.
--
-- The organization is the tenant. Every table of a tenant begins with its organization_id, and
-- every key is led by it. What must be found before the organization is known (a domain, a managed
-- ID) has a small directory table of its own; a token is found by an index on its digest.

set local role school_owner;
set local search_path = school, pg_temp;

create table organization (
    organization_id             uuid           not null,
    name                        text           not null,
    managed_id_format           text           not null default '{givenName}.{familyName}',
    time_zone                   text           not null default 'UTC',
    is_student_progress_enabled boolean        not null default false,
    version                     bigint         not null default 1,
    created_at                  timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at                  timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint organization_pkey       primary key (organization_id),
    constraint organization_has_a_name check (name ~ '\S' and char_length(name) <= 256)
);

create table domain_directory (
    domain          text not null,
    organization_id uuid not null,

    constraint domain_directory_pkey         primary key (domain),
    constraint domain_directory_entry        unique (organization_id, domain),
    constraint domain_directory_organization foreign key (organization_id) references organization,
    constraint domain_directory_is_lower_case check (domain = lower(domain) and domain ~ '^[^@\s]{1,253}$')
);

create table organization_domain (
    organization_id uuid           not null,
    domain          text           not null,
    position        integer        not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint organization_domain_pkey         primary key (organization_id, domain),
    constraint organization_domain_is_reserved  foreign key (organization_id, domain)
                                                references domain_directory (organization_id, domain)
);

create table managed_id_directory (
    managed_id      text not null,
    organization_id uuid not null,
    person_id       uuid not null,
    domain          text not null generated always as (split_part(managed_id, '@', 2)) stored,

    constraint managed_id_directory_pkey      primary key (managed_id),
    constraint managed_id_directory_entry     unique (organization_id, person_id, managed_id),
    constraint managed_id_directory_domain    foreign key (organization_id, domain)
                                              references organization_domain (organization_id, domain),
    constraint managed_id_directory_is_lower_case check (managed_id = lower(managed_id)),
    constraint managed_id_directory_is_a_managed_id
        check (managed_id ~ '^[^@\s]+@[^@\s]+$' and char_length(managed_id) <= 320)
);
create index managed_id_directory_domain on managed_id_directory (organization_id, domain);

create table credential (
    organization_id uuid           not null,
    person_id       uuid           not null,
    password_record text           not null,
    is_temporary    boolean        not null default false,
    expires_at      timestamptz(3),
    failed_tries    integer        not null default 0,
    locked_until    timestamptz(3),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint credential_pkey primary key (organization_id, person_id)
);

create table session (
    organization_id uuid           not null,
    session_id      uuid           not null,
    person_id       uuid           not null,
    app             text,
    environment     text           not null default 'production',
    started_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    ended_at        timestamptz(3),
    end_reason      text,

    constraint session_pkey             primary key (organization_id, session_id),
    constraint session_environment      check (environment in ('development', 'production')),
    constraint session_ends_for_a_reason check ((ended_at is null) = (end_reason is null))
);
create index session_person on session (organization_id, person_id) where ended_at is null;
create index session_person_ever on session (organization_id, person_id);

create table access_token (
    organization_id      uuid           not null,
    digest               bytea          not null,
    session_id           uuid,
    person_id            uuid,
    standing             text,
    app                  text,
    environment          text           not null default 'production',
    must_change_password boolean        not null default false,
    created_at           timestamptz(3) not null default date_trunc('milliseconds', now()),
    expires_at           timestamptz(3) not null,
    revoked_at           timestamptz(3),

    constraint access_token_pkey           primary key (organization_id, digest),
    constraint access_token_organization   foreign key (organization_id) references organization,
    constraint access_token_session        foreign key (organization_id, session_id) references session,
    constraint access_token_digest_length  check (octet_length(digest) = 32),
    constraint access_token_environment    check (environment in ('development', 'production')),
    constraint access_token_standing       check (standing in ('provisioner', 'exporter', 'app',
        'administrator', 'siteManager', 'peopleManager', 'contentManager', 'manager', 'teacher',
        'staff', 'student')),
    constraint access_token_service_is_nobody check ((person_id is null) =
        coalesce(standing in ('provisioner', 'exporter'), false)),
    constraint access_token_app_is_an_app  check ((app is not null) = coalesce(standing = 'app', false))
);
create index access_token_digest  on access_token (digest);
create index access_token_session on access_token (organization_id, session_id);
create index access_token_person  on access_token (organization_id, person_id);

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

alter table organization         enable row level security;
alter table domain_directory     enable row level security;
alter table organization_domain  enable row level security;
alter table managed_id_directory enable row level security;
alter table credential           enable row level security;
alter table session              enable row level security;
alter table access_token         enable row level security;
alter table refresh_token        enable row level security;

comment on table  organization         is 'The tenant: a school or a district.';
comment on column organization.managed_id_format is 'How managed IDs are made: name parts in braces.';
comment on column organization.time_zone is 'IANA name; which day it is in this organization.';
comment on column organization.is_student_progress_enabled is 'Off: every uploaded activity is dropped.';
comment on table  domain_directory     is 'Which organization a domain belongs to, over the whole deployment.';
comment on table  organization_domain  is 'A domain in which the organization gives managed IDs.';
comment on column organization_domain.position is 'New managed IDs are made in the first one.';
comment on table  managed_id_directory is 'Who a managed ID is, over the whole deployment; in lower case.';
comment on table  credential           is 'What proves a password; no standing reads it.';
comment on column credential.password_record is 'scrypt parameters, salt and hash, made outside.';
comment on column credential.expires_at is 'A temporary password is void from this moment on; null: never.';
comment on table  session              is 'One sign-in and all tokens that descend from it.';
comment on column session.app          is 'The bundle id of the app that signed in; null: the person.';
comment on table  access_token         is 'The SHA-256 of a bearer token and what it stands for.';
comment on column access_token.standing is 'Of a service or an app, or one role of the person; null: all that the person holds now.';
comment on table  refresh_token        is 'The SHA-256 of a refresh token; used twice, it ends its session.';
