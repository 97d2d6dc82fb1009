-- Licences: the apps and books that the school bought in bulk, how many seats of each a location has, and who or what
-- holds one.
--
-- Counts always add up, whatever code forgets:
--
--   a pool is never oversold      check pool_is_never_oversold
--   it counts its own licences    only the triggers of licence change assigned_count (functions/licences)
--   somebody has an app once      unique indexes over the whole organization
--   a device has no book          a foreign key that only an app for devices can satisfy
--
-- A licence that is given back leaves no row: the audit events say who had it.

create table app (
    organization_id      uuid           not null,
    adam_id              text           not null,
    bundle_id            text,
    name                 text           not null,
    product_type         text           not null,
    is_device_assignable boolean        not null,
    is_revocable         boolean        not null,
    platforms            text[]         not null default '{}',
    device_adam_id       text           generated always as (
                             case when is_device_assignable then adam_id end) stored,
    version              bigint         not null default 1,
    created_at           timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at           timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint app_pkey                    primary key (organization_id, adam_id),
    constraint app_is_for_devices          unique (organization_id, device_adam_id),
    constraint app_organization            foreign key (organization_id) references organization,
    constraint app_adam_id_is_a_number     check (adam_id ~ '^[0-9]{1,20}$'),
    constraint app_has_a_name              check (name ~ '\S' and char_length(name) <= 256),
    constraint app_bundle_id_length        check (char_length(bundle_id) between 1 and 255),
    constraint app_product_type            check (product_type in ('App', 'Book')),
    constraint app_has_a_bundle_id         check (product_type = 'Book' or bundle_id is not null),
    constraint app_is_a_book_and_kept      check (
        product_type = 'App' or not (is_device_assignable or is_revocable)),
    constraint app_platforms               check (
        platforms <@ array['iOS', 'macOS', 'tvOS', 'visionOS', 'watchOS'])
);
create index app_bundle_id on app (organization_id, bundle_id);

create table pool (
    organization_id uuid           not null,
    adam_id         text           not null,
    location_id     uuid           not null,
    total_count     integer        not null,
    assigned_count  integer        not null default 0,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint pool_pkey                 primary key (organization_id, adam_id, location_id),
    constraint pool_app                  foreign key (organization_id, adam_id)
                                         references app on delete cascade,
    constraint pool_location             foreign key (organization_id, location_id) references location,
    constraint pool_is_never_oversold    check (assigned_count between 0 and total_count)
);
create index pool_location on pool (organization_id, location_id);

create table licence (
    organization_id uuid           not null,
    licence_id      uuid           not null,
    adam_id         text           not null,
    location_id     uuid           not null,
    person_id       uuid,
    serial_number   text,
    device_adam_id  text           generated always as (
                        case when serial_number is not null then adam_id end) stored,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint licence_pkey                    primary key (organization_id, licence_id),
    constraint licence_pool                    foreign key (organization_id, adam_id, location_id)
                                               references pool,
    constraint licence_person                  foreign key (organization_id, person_id)
                                               references person on delete cascade,
    constraint licence_is_of_an_app_for_devices foreign key (organization_id, device_adam_id)
                                               references app (organization_id, device_adam_id),
    constraint licence_has_one_holder          check (num_nonnulls(person_id, serial_number) = 1),
    constraint licence_serial_number           check (serial_number ~ '^[0-9A-Z-]{1,64}$')
);
create unique index licence_of_a_person on licence (organization_id, person_id, adam_id);
create unique index licence_of_a_device on licence (organization_id, device_adam_id, serial_number);
create index licence_of_a_pool on licence (organization_id, adam_id, location_id, licence_id);

alter table app     enable row level security;
alter table pool    enable row level security;
alter table licence enable row level security;

comment on table  app is 'An app or a book that the school bought in bulk.';
comment on column app.adam_id is 'Its id in the store: digits.';
comment on column app.device_adam_id is 'adam_id where devices can hold licences, else null.';
comment on column app.is_revocable is 'A licence can be given back; never so with books.';

comment on table  pool is 'The seats of an app that a location bought.';
comment on column pool.assigned_count is 'How many licences there are of it; kept by triggers and nobody else.';

comment on table  licence is 'One seat of an app, held by a person or a device.';
comment on column licence.location_id is 'Out of whose pool.';
comment on column licence.device_adam_id is 'adam_id of the licence of a device, else null.';
