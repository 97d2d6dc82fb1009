-- Functions of exports: for whom the night's work is done.

set local role school_owner;
set local search_path = school, pg_temp;

-- exportable_organizations: every organization with its time zone, which tells its yesterday.
create or replace function exportable_organizations()
    returns table (organization_id uuid, time_zone text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query select o.organization_id, o.time_zone from organization as o order by o.organization_id;
end $$;
grant execute on function exportable_organizations() to school_exporter_login, school_server;
