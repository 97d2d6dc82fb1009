-- Who may do what with the source from which an organization's roster is pulled.
--
--   administrators   set, see, change and remove it; order a pull with order_roster_pull()
--   others           nothing
--
-- Nobody reads the client secret, not even sealed, or which process is pulling.

grant select (organization_id, url, token_url, client_id, pull_time, is_enabled, next_pull_at, ordered_at,
              claimed_until, started_at, finished_at, failure, failure_detail, failing_since, last_import_id, created_at,
              updated_at),
      insert (organization_id, url, token_url, client_id, sealed_secret, key_id, pull_time, is_enabled),
      update (url, token_url, client_id, sealed_secret, key_id, pull_time, is_enabled), delete
    on roster_source to school_administrator;

create policy "administrators see roster sources" on roster_source
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators set roster sources" on roster_source
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators change roster sources" on roster_source
    for update to school_administrator using (organization_id = (select my_organization()));
create policy "administrators remove roster sources" on roster_source
    for delete to school_administrator using (organization_id = (select my_organization()));
