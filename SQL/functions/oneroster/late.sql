-- Functions of OneRoster: what a client that asks what changed since a time has to be shown.

-- oneroster_since: from which dateLastModified on changes are shown to a client that asks for those since p_wanted. A
-- record has the time at which its transaction began. A client that read before the transaction ended did not see it,
-- and asks next from a later time. So this goes back to the beginning of the first transaction that ended after
-- p_wanted: what it noted got its position as it ended, which is a time (functions/changes/numbering.sql).
--
-- One minute more is for what notes no changes, such as grades, for commits that are seen a moment after they got their
-- position, and for the clocks of clients. Where changes of that time are forgotten, or were noted in another cell, it
-- is a day more: no transaction takes longer.
create or replace function oneroster_since(p_wanted timestamptz) returns timestamptz
    language plpgsql stable security definer
    set search_path = school, pg_temp set jit = off as $$
declare
    own    constant uuid := my_organization();
    day    constant bigint := 86400000000;
    asked  constant timestamptz := p_wanted - interval '1 minute';
    ending constant bigint := floor(extract(epoch from asked) * 1000000);
begin
    if ending <= (select forgotten_through from change_feed where organization_id = own) or not exists (
        select from change_transaction where organization_id = own and position <= ending) then
        return asked - interval '1 day';
    end if;
    return least(asked, (
        select min(c.noted_at)
          from change_transaction as t
         cross join lateral (
               select c.noted_at from change as c
                where c.organization_id = t.organization_id and c.transaction = t.transaction limit 1) as c
         where t.organization_id = own and t.position > ending and t.position <= ending + day));
end $$;
grant execute on function oneroster_since(timestamptz) to school_roster_reader;
