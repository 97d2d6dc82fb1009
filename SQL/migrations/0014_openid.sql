-- OpenID Connect: other systems of the school sign people in with their managed IDs, and learn who they are.
--
-- Unlike an app, a connected system can keep a secret. Its tokens reach a single call, which says what the person
-- allowed it to see: the name, the roles, the classes.

create table connected_system (
    organization_id     uuid           not null,
    connected_system_id uuid           not null,
    name                text           not null,
    redirect_uris       text[]         not null,
    scopes              text[]         not null default '{}',
    secret_digest       bytea          not null,
    secret_changed_at   timestamptz(3) not null default date_trunc('milliseconds', now()),
    removed_at          timestamptz(3),
    version             bigint         not null default 1,
    created_at          timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at          timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint connected_system_pkey          primary key (organization_id, connected_system_id),
    constraint connected_system_organization  foreign key (organization_id) references organization,
    constraint connected_system_has_a_name    check (name ~ '\S' and char_length(name) <= 256),
    constraint connected_system_redirect_uris check (
        cardinality(redirect_uris) between 1 and 10 and array_position(redirect_uris, null) is null
        and array_to_string(redirect_uris, ' ')
            ~ '^((https://[^\s/?#@]+|http://(127\.0\.0\.1|\[::1\])(:[0-9]+)?)([/?][^\s#]*)?( |$))+$'),
    constraint connected_system_scopes        check (scopes <@ array['profile', 'roles', 'classes']),
    constraint connected_system_digest_length check (octet_length(secret_digest) = 32)
);
create unique index connected_system_client on connected_system (connected_system_id);

-- What a person allowed a system: a sign-in of the person that the system holds.
alter table session
    drop constraint session_kind,
    add column connected_system_id uuid,
    add column scopes              text[],
    add column authenticated_at    timestamptz(3),
    add constraint session_kind             check (kind in ('password', 'browser', 'app', 'system')),
    add constraint session_of_system_has_it check (
        (kind = 'system') = (connected_system_id is not null)
        and (kind = 'system') = (scopes is not null) and (kind = 'system') = (authenticated_at is not null)),
    add constraint session_connected_system foreign key (organization_id, connected_system_id)
                                            references connected_system;
create index session_connected_system on session (organization_id, connected_system_id)
    where connected_system_id is not null;

alter table access_token
    drop constraint access_token_standing,
    add column connected_system_id uuid,
    add constraint access_token_standing check (standing in ('provisioner', 'exporter', 'app', 'system',
        'administrator', 'siteManager', 'peopleManager', 'contentManager', 'manager', 'teacher', 'staff', 'student')),
    add constraint access_token_system_is_a_system check (
        (connected_system_id is not null) = coalesce(standing = 'system', false)),
    add constraint access_token_connected_system foreign key (organization_id, connected_system_id)
                                                 references connected_system;
create index access_token_connected_system on access_token (organization_id, connected_system_id)
    where connected_system_id is not null;

alter table authorization_code
    alter column app drop not null,
    add column connected_system_id uuid,
    add column scopes              text[],
    add column nonce               text,
    add column authenticated_at    timestamptz(3),
    add constraint authorization_code_has_one_client check ((app is null) = (connected_system_id is not null)),
    add constraint authorization_code_nonce_length   check (char_length(nonce) <= 2000),
    add constraint authorization_code_connected_system foreign key (organization_id, connected_system_id)
                                                       references connected_system;
create index authorization_code_connected_system on authorization_code (organization_id, connected_system_id)
    where connected_system_id is not null;

-- The keys with which the deployment signs. With a private key, anyone could sign in to every connected system, or open
-- every tool, as anyone.
create table signing_key (
    key_id      text           not null,
    purpose     text           not null,
    private_key text           not null,
    public_key  jsonb          not null,
    created_at  timestamptz(3) not null default date_trunc('milliseconds', now()),
    signs_from  timestamptz(3) not null,

    constraint signing_key_pkey      primary key (key_id),
    constraint signing_key_id_length check (char_length(key_id) = 43),
    constraint signing_key_purpose   check (purpose in ('idTokens', 'toolMessages'))
);

alter table connected_system enable row level security;
alter table signing_key      enable row level security;

comment on table  connected_system is 'Another system of the school, to which people sign in with their managed IDs.';
comment on column connected_system.connected_system_id is 'Also the client id.';
comment on column connected_system.redirect_uris is 'Where a browser may bring a code, letter by letter.';
comment on column connected_system.scopes is 'What it may ask a person for, beside the bare fact of signing in.';
comment on column connected_system.secret_digest is 'The SHA-256 of the secret; no standing reads it.';
comment on column connected_system.removed_at is 'Removed for good; kept because audit events name it.';
comment on column session.connected_system_id is 'The connected system that holds it.';
comment on column session.scopes is 'What the person allowed that system to see.';
comment on column session.authenticated_at is 'When the person gave the password, as the system learns it.';
comment on column access_token.connected_system_id is 'The connected system that holds it; no call of /v1 takes it.';
comment on column authorization_code.connected_system_id is 'The connected system that gets it, in place of an app.';
comment on column authorization_code.scopes is 'What the person allowed that system to see.';
comment on column authorization_code.nonce is 'What the system wants to find in its ID token.';
comment on column authorization_code.authenticated_at is 'When the person gave the password.';
comment on table  signing_key is 'A key with which the deployment signs; only functions of the server read it.';
comment on column signing_key.key_id is 'The thumbprint of the public key (RFC 7638).';
comment on column signing_key.purpose is 'What it signs, and nothing else: ID tokens, or messages to tools.';
comment on column signing_key.private_key is 'In PEM; leaves the database for the memory of the server only.';
comment on column signing_key.public_key is 'As a JSON Web Key (RFC 7517).';
comment on column signing_key.signs_from is 'It signs from this moment on, until a later one of its purpose does.';
