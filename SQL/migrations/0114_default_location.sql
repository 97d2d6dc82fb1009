-- Service accounts: where people and classes are put whose system does not say where.

alter table service_account
    add column default_location_id uuid,
    add constraint service_account_default_location
        foreign key (organization_id, default_location_id) references location;
create index service_account_default_location on service_account (organization_id, default_location_id);

comment on column service_account.default_location_id is
    'Where a directory writer puts people and classes of which it does not say where; null: it has to say so if there are several locations.';
