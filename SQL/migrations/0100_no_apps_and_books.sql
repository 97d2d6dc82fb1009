-- The interface for device managers goes: content tokens, the users and events of device managers, and what only they
-- asked for. Licences, pools and apps stay as they are.
--
-- The tables go at once and not one release later: no release has them, and a server of 0.1.0 has not served beside
-- this schema for long (SQL/compatibility).

-- First revoked, which tells every server; then removed, since nothing but audit events says what they did, and those
-- outlive their accounts.
update service_account set revoked_at = date_trunc('milliseconds', now())
 where role = 'deviceManager' and revoked_at is null;
delete from access_token where standing = 'deviceManager';

-- Cascade: policies and functions of device managers, which the migrator finds in no file any more.
drop table content_event, content_user, content_token, content_library cascade;
delete from service_account where role = 'deviceManager';

alter table service_account
    drop constraint service_account_role,
    add constraint service_account_role check (role in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter'));

alter table access_token
    drop constraint access_token_standing,
    drop constraint access_token_service_is_nobody,
    add constraint access_token_standing check (standing in ('provisioner', 'exporter', 'rosterReader',
        'directoryWriter', 'tool', 'app', 'system', 'administrator', 'siteManager', 'peopleManager', 'contentManager',
        'manager', 'teacher', 'staff', 'student')),
    add constraint access_token_service_is_nobody check (
        (person_id is null)
        = coalesce(standing in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter', 'tool'), false));

drop index licence_serial_number;
