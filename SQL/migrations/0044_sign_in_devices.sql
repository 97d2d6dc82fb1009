-- Signing in while somebody else guesses: locks that grow, and devices that are known.

set local role school_owner;
set local search_path = school, pg_temp;

alter table credential add column lock_count integer not null default 0;
alter table session    add column wrong_changes integer not null default 0;

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

alter table sign_in_device enable row level security;

comment on column credential.lock_count is 'Locks since the last sign-in; each lasts twice as long as the one before.';
comment on column session.wrong_changes is 'Wrong current passwords at changes of it; ten end the sign-in.';
comment on table  sign_in_device        is 'A device that a person signed in from; a lock does not keep it out.';
comment on column sign_in_device.digest is 'The SHA-256 of the secret that the device keeps.';
comment on column sign_in_device.session_id is 'The last sign-in from it; no key, it outlives the session.';
comment on column sign_in_device.failed_tries is 'Wrong passwords from it since the last right one; ten make it a stranger.';
