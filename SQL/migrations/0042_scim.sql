-- SCIM: service accounts with which an identity provider writes people and classes, and people whom it removed.

alter table service_account
    drop constraint service_account_role,
    add constraint service_account_role check (role in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter'));

alter table access_token
    drop constraint access_token_standing,
    drop constraint access_token_service_is_nobody,
    add constraint access_token_standing check (standing in ('provisioner', 'exporter', 'rosterReader',
        'directoryWriter', 'app', 'system', 'administrator', 'siteManager', 'peopleManager', 'contentManager',
        'manager', 'teacher', 'staff', 'student')),
    add constraint access_token_service_is_nobody check (
        (person_id is null)
        = coalesce(standing in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter'), false));

alter table person
    add column withdrawn_at timestamptz(3);
comment on column person.withdrawn_at is
    'Equal to deactivated_at: an identity provider removed the person, and no longer sees him or her.';
