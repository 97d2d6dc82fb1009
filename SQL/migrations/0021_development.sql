-- Development: which organization of made-up people an organization has for those who make apps; by whom
-- contexts were published; and teams of developers for the whole deployment.
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

-- Teams that the operator registers for every organization.
create table deployment_team (
    team_id    text           not null,
    name       text           not null,
    created_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint deployment_team_pkey       primary key (team_id),
    constraint deployment_team_has_a_name check (name ~ '\S' and char_length(name) <= 256)
);

create table deployment_key (
    team_id    text           not null,
    key_id     text           not null,
    public_key text           not null,
    created_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint deployment_key_pkey primary key (team_id, key_id),
    constraint deployment_key_team foreign key (team_id) references deployment_team on delete cascade
);

create table deployment_bundle (
    bundle_id  text           not null,
    team_id    text           not null,
    created_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint deployment_bundle_pkey primary key (bundle_id),
    constraint deployment_bundle_team foreign key (team_id) references deployment_team on delete cascade
);
create index deployment_bundle_team on deployment_bundle (team_id);

alter table developer_team
    add column origin text not null default 'organization',
    add constraint developer_team_origin check (origin in ('organization', 'deployment'));

alter table deployment_team   enable row level security;
alter table deployment_key    enable row level security;
alter table deployment_bundle enable row level security;

comment on table  deployment_team   is 'A team of developers that the operator registered for every organization.';
comment on table  deployment_key    is 'A public key of such a team: PEM, P-256.';
comment on table  deployment_bundle is 'A bundle id whose contexts such a team may publish.';
comment on column developer_team.origin is 'Who registered it: an administrator, or the operator for the whole deployment.';

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
