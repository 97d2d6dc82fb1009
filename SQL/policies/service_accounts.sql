-- Who may do what with service accounts.
--
--   administrators   make, see, rename, revoke them and change their secrets
--   others           nothing
--
-- No one reads the digest of a secret. An account authenticates with issue_service_token() alone.

grant select (organization_id, service_account_id, name, role, secret_changed_at, expires_at, revoked_at,
              default_location_id, version, created_at, updated_at),
      insert (organization_id, service_account_id, name, role, secret_digest, expires_at, default_location_id),
      update (name, default_location_id, secret_digest, secret_changed_at, revoked_at)
    on service_account to school_administrator;

create policy "administrators see service accounts" on service_account
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators make service accounts" on service_account
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators change service accounts" on service_account
    for update to school_administrator using (organization_id = (select my_organization()));
