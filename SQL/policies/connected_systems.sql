-- Who may do what with connected systems.
--
--   administrators   register, see, change, remove them and replace their secrets
--   others           nothing
--
-- No one reads the digest of a secret. A system authenticates in exchange_system_code() and the functions beside it.

grant select (organization_id, connected_system_id, name, redirect_uris, scopes, id_token_signed_response_alg,
              requires_pkce, post_logout_redirect_uris, secret_changed_at, removed_at, version, created_at, updated_at),
      insert (organization_id, connected_system_id, name, redirect_uris, scopes, id_token_signed_response_alg,
              requires_pkce, post_logout_redirect_uris, secret_digest),
      update (name, redirect_uris, scopes, id_token_signed_response_alg, requires_pkce,
              post_logout_redirect_uris, secret_digest, secret_changed_at, removed_at)
    on connected_system to school_administrator;

create policy "administrators see connected systems" on connected_system
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators register connected systems" on connected_system
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators change connected systems" on connected_system
    for update to school_administrator using (organization_id = (select my_organization()));
