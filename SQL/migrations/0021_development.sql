-- Development: which organization of made-up people an organization has for those who make apps; and by whom
-- contexts were published.
--
-- It is an organization like any other, so that nothing crosses between the two; only this directory knows that
-- they belong together. Turned off, it keeps its name and its audit trail, and is taken up again when it is
-- turned on.

set local role school_owner;
set local search_path = school, pg_temp;

create table development_directory (
    organization_id uuid           not null,
    development_id  uuid           not null,
    turned_on_at    timestamptz(3) default date_trunc('milliseconds', now()),
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint development_directory_pkey         primary key (organization_id),
    constraint development_directory_entry        unique (development_id),
    constraint development_directory_organization foreign key (organization_id) references organization,
    constraint development_directory_development  foreign key (development_id)
                                                  references organization (organization_id),
    constraint development_is_not_of_itself       check (development_id <> organization_id)
);

alter table development_directory enable row level security;

comment on table  development_directory is 'The development environment of an organization: made-up people in an organization of their own.';
comment on column development_directory.development_id is 'The organization of the made-up people.';
comment on column development_directory.turned_on_at is 'Null: it is off, and empty.';

-- By which key a context was published: an organization that registers the key takes over what was published by
-- it before. What was published until now has none, until it is published again.
alter table context add column publisher_digest bytea
    default decode(nullif(current_setting('school.developer_key', true), ''), 'hex');
create index developer_bundle_anywhere on developer_bundle (team_id, bundle_id);
comment on column context.publisher_digest is
    'SHA-256 of the public key as it is registered; null: native, or published before keys were noted.';

-- One more kind of audit event.
do $$
declare
    kinds text := (select pg_get_constraintdef(oid) from pg_constraint
                    where conname = 'audit_event_kind' and conrelid = 'audit_event'::regclass);
begin
    alter table audit_event drop constraint audit_event_kind;
    execute 'alter table audit_event add constraint audit_event_kind '
        || replace(kinds, 'ARRAY[', 'ARRAY[''developmentChange''::text, ');
end $$;
