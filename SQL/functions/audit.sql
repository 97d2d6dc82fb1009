-- Functions of audit: the only way to write an event.

set local role school_owner;
set local search_path = school, pg_temp;

-- write_audit_event (internal): for functions that run before anybody is known. The event waits for its
-- seal from the moment it is there.
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
    insert into audit_event (organization_id, event_id, kind, standing, person_id, service_account_id,
                             app, address, address_salt, address_digest, subject_kind, subject_id,
                             details)
    values (p_organization_id, id, p_kind, p_standing, p_person_id, my_service_account(),
            p_app, whence, salt, sha256(salt || convert_to(whence, 'UTF8')), p_subject_kind, p_subject_id,
            coalesce(p_details, '{}'));
    insert into audit_unsealed (organization_id, arrived_at, event_id) values (p_organization_id, moment(), id);
end $$;

-- audit: an event of the caller; stamps who that is itself. Details carry ids and words, no names.
create or replace function audit(p_kind text, p_subject_kind text, p_subject_id text, p_details jsonb)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform write_audit_event(my_organization(), p_kind, my_standing(), my_person(), my_app(), null,
                              p_subject_kind, p_subject_id, p_details);
end $$;
grant execute on function audit(text, text, text, jsonb) to school_standing;

-- make_audit_months: the partitions from this month to p_months later, where they are missing and
-- the default partition holds nothing of that month.
create or replace function make_audit_months(p_months integer default 3) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    begins timestamptz;
    month  text;
begin
    for i in 0 .. p_months loop
        begins := date_trunc('month', now(), 'UTC') + make_interval(months => i);
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

-- The months of now, made by the migration that applies this file.
do $$ begin perform make_audit_months(); end $$;
