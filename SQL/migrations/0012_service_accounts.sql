-- Service accounts: scripts and jobs that sign in by themselves (RFC 6749 section 4.4), and the
-- password policy of a location.
--
-- An account is never deleted: audit events name it. Its id is its client id; of its secret only the
-- digest is here. The secret has 256 random bits, so that one round of SHA-256 is enough, and a lock
-- after wrong tries would only let strangers stop the school's jobs.

set local role school_owner;
set local search_path = school, pg_temp;

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

    constraint service_account_pkey         primary key (organization_id, service_account_id),
    constraint service_account_organization foreign key (organization_id) references organization,
    constraint service_account_has_a_name   check (name ~ '\S' and char_length(name) <= 256),
    constraint service_account_role         check (role in ('provisioner', 'exporter')),
    constraint service_account_digest_length check (octet_length(secret_digest) = 32)
);
create unique index service_account_client on service_account (service_account_id);

alter table access_token
    add column service_account_id uuid,
    add constraint access_token_service_account foreign key (organization_id, service_account_id)
        references service_account,
    add constraint access_token_account_is_a_service
        check (service_account_id is null or person_id is null);
create index access_token_service_account
    on access_token (organization_id, service_account_id, created_at);

alter table audit_event add column service_account_id uuid;

-- The kinds there are by now, and one more.
do $$
declare
    kinds text := (select pg_get_constraintdef(oid) from pg_constraint
                    where conname = 'audit_event_kind' and conrelid = 'audit_event'::regclass);
begin
    alter table audit_event drop constraint audit_event_kind;
    execute 'alter table audit_event add constraint audit_event_kind '
        || replace(kinds, 'ARRAY[', 'ARRAY[''serviceAccountChange''::text, ');
end $$;

alter table location
    add column password_policy text,
    add constraint location_password_policy check (password_policy in ('4', '6', '8'));

alter table service_account enable row level security;

comment on table  service_account is 'A script or job of the school that gets its tokens with a secret of its own.';
comment on column service_account.service_account_id is 'Also the client id.';
comment on column service_account.secret_digest is 'The SHA-256 of the secret; no standing reads it.';
comment on column service_account.expires_at is 'From this moment on it gets no tokens and has none; null: never.';
comment on column service_account.revoked_at is 'Revoked for good; kept because audit events name it.';
comment on column access_token.service_account_id is 'Whose token it is; null: of a person, or made by the command.';
comment on column audit_event.service_account_id is 'Which service account acted; no key, as with persons.';
comment on column location.password_policy is 'Of its students who have none of their own: 8 letters and digits, 6 or 4 digits.';
