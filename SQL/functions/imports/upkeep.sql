-- Functions of imports: what is deleted after a time.

-- remove_outdated_imports (internal): removes what is thirty days old, at most p_limit rows of each kind; true if
-- there may be more.
--
--   plans and failures           with their errors and rows
--   archives that no one approved  the import fails then, and is kept for another thirty days
--   rows of imports that are done  their counts stay, and the import can no longer be undone
create or replace function remove_outdated_imports(p_limit integer) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    oldest  constant timestamptz := removal_moment() - interval '30 days';
    expired uuid[];
    tenants uuid[];
    removed bigint;
    is_more boolean := false;
begin
    delete from import where ctid = any (array(
        select ctid from import where status in ('planned', 'failed') and finished_at <= oldest
                            and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    is_more := is_more or removed >= p_limit;

    with gone as (
        update import set status = 'failed', error_count = 1, finished_at = moment()
         where ctid = any (array(
               select ctid from import where status = 'awaitingApproval' and finished_at <= oldest
                                   and not is_at_rest(organization_id)
                limit p_limit for update skip locked))
        returning organization_id, import_id)
    select array_agg(organization_id), array_agg(import_id) into tenants, expired from gone;
    insert into import_problem (organization_id, import_id, position, code, detail)
    select g.organization_id, g.import_id, (
               select coalesce(max(p.position), 0) + 1 from import_problem as p
                where p.organization_id = g.organization_id and p.import_id = g.import_id), 'approval_expired',
           'Nobody approved this import within thirty days. Nothing was changed; hand in a new archive.'
      from unnest(tenants, expired) as g (organization_id, import_id);
    delete from import_archive as a using unnest(tenants, expired) as g (organization_id, import_id)
     where a.organization_id = g.organization_id and a.import_id = g.import_id;
    is_more := is_more or coalesce(cardinality(expired), 0) >= p_limit;

    delete from import_change where ctid = any (array(
        select c.ctid from import_change as c
          join import as i on i.organization_id = c.organization_id and i.import_id = c.import_id
         where i.status in ('succeeded', 'failed') and i.finished_at <= oldest and not is_at_rest(i.organization_id)
         limit p_limit for update of c skip locked));
    get diagnostics removed = row_count;
    is_more := is_more or removed >= p_limit;

    delete from import_undo where ctid = any (array(
        select u.ctid from import_undo as u
          join import as i on i.organization_id = u.organization_id and i.import_id = u.import_id
         where i.finished_at <= oldest and not is_at_rest(i.organization_id)
         limit p_limit for update of u skip locked));
    get diagnostics removed = row_count;
    return is_more or removed >= p_limit;
end $$;
