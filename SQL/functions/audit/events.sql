-- Functions of audit: the only way to write an event.

-- audit_kinds (internal): the one list of event kinds, each with the standings that cause it through audit(). Events
-- before the caller is known, and events of the operator's commands, are written as 'server' and are listed here
-- without a standing. The API document repeats the list (AuditShapes.kinds), and a test compares the two.
create or replace function audit_kinds() returns table (kind text, standings text[])
    language sql immutable parallel safe
begin atomic
    values
        ('denial', '{administrator, siteManager, peopleManager, contentManager, manager, teacher, staff,
                     student, provisioner, exporter, rosterReader, directoryWriter, tool, developer, app}'::text[]),
        ('signIn', '{}'), ('tokenCreated', '{}'), ('tokenRevoked', '{}'),
        ('signOut', '{administrator, siteManager, peopleManager, contentManager, manager, teacher, staff, student}'),
        ('signInFailure', '{administrator, siteManager, peopleManager, contentManager, manager, teacher, staff,
                            student, app}'),
        ('passwordChange', '{administrator, siteManager, peopleManager, contentManager, manager, teacher, staff,
                             student, app}'),
        ('temporaryPassword', '{administrator, siteManager, peopleManager, manager, teacher, provisioner}'),
        ('badgeChange', '{administrator, teacher}'),
        ('roleChange', '{administrator, siteManager, peopleManager, manager, provisioner, directoryWriter}'),
        ('personChange', '{administrator, siteManager, peopleManager, manager, provisioner, directoryWriter}'),
        ('rosterChange', '{administrator, siteManager, peopleManager, manager, provisioner, directoryWriter}'),
        -- Teachers write rosterChange, classChange and removal of the classes they made with functions/privileges.
        ('classChange', '{}'),
        ('removal', '{administrator, siteManager, peopleManager, manager, provisioner, directoryWriter}'),
        ('import', '{administrator, siteManager, peopleManager, provisioner}'),
        ('termClosing', '{administrator, siteManager, peopleManager, provisioner}'),
        ('termReopening', '{administrator, siteManager, peopleManager, provisioner}'),
        ('rollover', '{administrator}'),
        ('organizationChange', '{administrator, siteManager, peopleManager}'),
        ('studentProgressChange', '{administrator, siteManager, peopleManager}'),
        ('licenceChange', '{administrator, contentManager}'),
        ('poolChange', '{administrator, contentManager}'),
        ('serviceAccountChange', '{administrator}'),
        ('signInProviderChange', '{administrator}'),
        ('connectedSystemChange', '{administrator}'),
        ('webhookChange', '{administrator}'),
        ('rosterSourceChange', '{administrator}'), ('rosterPull', '{administrator}'),
        ('toolChange', '{administrator}'),
        ('privilegeChange', '{administrator}'),
        ('retentionChange', '{administrator}'), ('retention', '{}'),
        ('developerTeamChange', '{administrator}'),
        ('developmentChange', '{administrator, developer}'),
        ('export', '{administrator, exporter}'),
        ('erasure', '{administrator}');
end;

-- write_audit_event (internal): for functions that run before the caller is known. Refuses a kind that is not in the
-- list. The event waits for its seal from the moment it is written.
create or replace function write_audit_event(
    p_organization_id uuid, p_kind text, p_standing text, p_person_id uuid, p_app text,
    p_address text, p_subject_kind text, p_subject_id text, p_details jsonb) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    whence constant text  := coalesce(p_address, nullif(current_setting('school.address', true), ''));
    salt   constant bytea := case when whence is not null then uuid_send(gen_random_uuid()) end;
    id     constant uuid  := new_id();
begin
    if not exists (select from audit_kinds() as k where k.kind = p_kind) then
        raise exception 'there are no events of the kind %', p_kind using errcode = 'check_violation';
    end if;
    insert into audit_event (organization_id, event_id, kind, standing, person_id, service_account_id,
                             session_id, token_id, app, address, address_salt, address_digest, subject_kind, subject_id,
                             details)
    values (p_organization_id, id, p_kind, p_standing, p_person_id, my_service_account(),
            nullif(current_setting('school.session', true), '')::uuid,
            nullif(current_setting('school.token', true), ''), p_app, whence, salt,
            sha256(salt || convert_to(whence, 'UTF8')), p_subject_kind, p_subject_id, coalesce(p_details, '{}'));
    insert into audit_unsealed (organization_id, arrived_at, event_id) values (p_organization_id, moment(), id);
end $$;

-- audit: writes an event of the caller, whom it identifies itself. Only of a kind that the standing causes. Details
-- contain ids and fixed words, not names.
create or replace function audit(p_kind text, p_subject_kind text, p_subject_id text, p_details jsonb)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    -- Null: an operator's command, run as the owner of the schema or with the server's login.
    actor constant text := nullif(my_standing(), 'owner');
begin
    if actor is not null and not exists (
           select from audit_kinds() as k where k.kind = p_kind and actor = any (k.standings)) then
        raise exception 'events of this kind are not for this standing to write'
            using errcode = 'insufficient_privilege';
    end if;
    perform write_audit_event(my_organization(), p_kind, coalesce(actor, 'server'), my_person(), my_app(), null,
                              p_subject_kind, p_subject_id, p_details);
end $$;
grant execute on function audit(text, text, text, jsonb) to school_standing;

-- make_audit_months: creates the partitions from this month to p_months later, if they are missing and the default
-- partition has no events of that month.
create or replace function make_audit_months(p_months integer default 3) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    begins timestamptz;
    month  text;
begin
    for i in 0 .. p_months loop
        begins := date_trunc('month', moment(), 'UTC') + make_interval(months => i);
        month := 'audit_event_' || to_char(begins at time zone 'UTC', 'YYYY_MM');
        continue when to_regclass('school.' || month) is not null
            or exists (select from audit_event_default
                        where arrived_at >= begins and arrived_at < begins + interval '1 month');
        execute format('create table %I partition of audit_event for values from (%L) to (%L)',
                       month, begins, begins + interval '1 month');
        execute format('alter table %I enable row level security', month);
    end loop;
end $$;
grant execute on function make_audit_months(integer) to school_server;

-- The partitions around now, created by the migration that applies this file.
do $$ begin perform make_audit_months(); end $$;
