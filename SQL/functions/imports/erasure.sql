-- Functions of imports: what happens to archives when a person is erased.

-- drop_waiting_archives (internal): archives are not searched for one person, so those that wait for approval are
-- cancelled; the approver can upload a current archive instead. Previews keep their plan and lose their archive, so
-- that they can no longer be applied. False, and nothing is cancelled, if imports are queued or running; in some
-- minutes they will be done.
--
-- A pull from the roster source that is under way may have read the person already. Its claim ends, so that it brings
-- nothing, and another one is ordered. The source is locked before the imports are looked at: a pull that has finished
-- by then has left its import.
--
-- The imports are locked, so that one approved at the same time is either cancelled or running, never both.
create or replace function drop_waiting_archives() returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    waiting uuid[];
begin
    perform from roster_source where organization_id = my_organization() for update;
    perform from import
      where organization_id = my_organization() and status in ('queued', 'running', 'awaitingApproval', 'planned')
      order by import_id for update;
    if exists (select from import where organization_id = my_organization() and status in ('queued', 'running')) then
        return false;
    end if;
    update roster_source
       set claim_id = null, claimed_until = moment(), attempts = 0, ordered_at = coalesce(ordered_at, moment()),
           updated_at = moment()
     where organization_id = my_organization() and claim_id is not null;
    waiting := array(select import_id from import
                      where organization_id = my_organization() and status = 'awaitingApproval');
    delete from import_archive as a using import as i
     where a.organization_id = my_organization() and i.organization_id = a.organization_id
       and i.import_id = a.import_id and i.status in ('awaitingApproval', 'planned');
    insert into import_problem (organization_id, import_id, position, code, detail)
    select my_organization(), id, (select coalesce(max(p.position), 0) + 1 from import_problem as p
                                    where p.organization_id = my_organization() and p.import_id = id),
           'person_erased',
           'A person who may be in this archive was erased while the import waited for approval. Nothing was '
           || 'changed; upload an archive of today.'
      from unnest(waiting) as id;
    update import set status = 'failed', error_count = 1, finished_at = moment()
     where organization_id = my_organization() and import_id = any (waiting);
    return true;
end $$;
