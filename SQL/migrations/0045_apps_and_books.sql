-- Apps and Books: content tokens, with which a device manager (MDM) assigns the licences of one location, the users
-- that it has registered there, and what became of its requests.

alter table service_account
    drop constraint service_account_role,
    add constraint service_account_role check (role in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter',
        'deviceManager'));

alter table access_token
    drop constraint access_token_standing,
    drop constraint access_token_service_is_nobody,
    add constraint access_token_standing check (standing in ('provisioner', 'exporter', 'rosterReader',
        'directoryWriter', 'deviceManager', 'app', 'system', 'administrator', 'siteManager', 'peopleManager',
        'contentManager', 'manager', 'teacher', 'staff', 'student')),
    add constraint access_token_service_is_nobody check (
        (person_id is null)
        = coalesce(standing in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter', 'deviceManager'), false));

create table content_library (
    organization_id uuid           not null,
    location_id     uuid           not null,
    country         text           not null,
    mdm_id          text,
    mdm_name        text,
    mdm_metadata    text,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint content_library_pkey            primary key (organization_id, location_id),
    constraint content_library_location        foreign key (organization_id, location_id)
                                               references location on delete cascade,
    constraint content_library_country         check (country ~ '^[A-Z]{2}$'),
    constraint content_library_has_one_manager check (num_nonnulls(mdm_id, mdm_name, mdm_metadata) in (0, 3)),
    constraint content_library_mdm_lengths     check (
        char_length(mdm_id) <= 100 and char_length(mdm_name) <= 100 and char_length(mdm_metadata) <= 255)
);

create table content_token (
    organization_id    uuid           not null,
    service_account_id uuid           not null,
    location_id        uuid           not null,
    created_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint content_token_pkey    primary key (organization_id, service_account_id),
    constraint content_token_account foreign key (organization_id, service_account_id) references service_account
                                     on delete cascade,
    constraint content_token_library foreign key (organization_id, location_id) references content_library
                                     on delete cascade
);
create index content_token_location on content_token (organization_id, location_id);

create table content_user (
    organization_id uuid           not null,
    location_id     uuid           not null,
    client_user_id  text           not null,
    person_id       uuid           not null,
    email           text,
    retired_at      timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint content_user_pkey         primary key (organization_id, location_id, client_user_id),
    constraint content_user_library      foreign key (organization_id, location_id) references content_library
                                         on delete cascade,
    constraint content_user_person       foreign key (organization_id, person_id) references person on delete cascade,
    constraint content_user_id_length    check (char_length(client_user_id) between 1 and 255),
    constraint content_user_email_length check (char_length(email) between 3 and 320)
);
create index content_user_person on content_user (organization_id, person_id);
create unique index content_user_of_a_person on content_user (organization_id, location_id, person_id)
    where retired_at is null;

create table content_event (
    organization_id uuid           not null,
    event_id        uuid           not null,
    location_id     uuid           not null,
    kind            text           not null,
    requested_count integer        not null,
    completed_count integer        not null,
    failures        jsonb          not null default '[]',
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint content_event_pkey             primary key (organization_id, event_id),
    constraint content_event_library          foreign key (organization_id, location_id) references content_library
                                              on delete cascade,
    constraint content_event_kind             check (
        kind in ('ASSOCIATE', 'DISASSOCIATE', 'REVOKE', 'CREATE', 'UPDATE', 'RETIRE')),
    constraint content_event_does_not_overdo  check (completed_count between 0 and requested_count),
    constraint content_event_failures_are_a_list check (jsonb_typeof(failures) = 'array')
);
create index content_event_location on content_event (organization_id, location_id, created_at);

-- A device manager asks what a device has, of whatever app.
create index licence_serial_number on licence (organization_id, serial_number) where serial_number is not null;

alter table content_library enable row level security;
alter table content_token   enable row level security;
alter table content_user    enable row level security;
alter table content_event   enable row level security;

comment on table  content_library is 'The apps and books of a location, as a device manager sees them.';
comment on column content_library.country is 'In whose store the school buys; ISO 3166-1.';
comment on column content_library.mdm_id is 'Which device manager says that it is in charge; null: none has said so.';
comment on table  content_token is 'For which location the token of a device manager is.';
comment on table  content_user is 'Somebody whom a device manager knows under a name of its own.';
comment on column content_user.client_user_id is 'That name.';
comment on column content_user.email is 'As the device manager sent it.';
comment on column content_user.retired_at is 'From this moment on the name is free again; null: it is in use.';
comment on table  content_event is 'What became of a request of a device manager; kept for a week.';
comment on column content_event.failures is
    'What failed: [{"errorNumber", "errorInfo": {"assets" | "clientUserIds" | "serialNumbers"}}].';
