-- Who may do what with sign-in providers, and with the links between their accounts and people.
--
--                    providers                                     links
--   administrators   connect, see, change and disconnect them      forget a person's
--   site, people mgr nothing                                       forget a person's
--   others           nothing                                       nothing
--
-- Nobody disconnects the last one of a school without passwords (keep_a_provider() in functions/access/without_passwords.sql).
-- Nobody reads a client secret, not even sealed, or writes one that is not sealed. Links are made and used by
-- sign_in_with_provider() alone, and forgotten by forget_sign_in_links().

grant select (organization_id, sign_in_provider_id, kind, name, issuer, tenant, client_id, matching, email_domains,
              version, created_at, updated_at),
      insert (organization_id, sign_in_provider_id, kind, name, issuer, tenant, client_id, sealed_secret, key_id,
              matching, email_domains),
      update (kind, name, issuer, tenant, client_id, sealed_secret, key_id, matching, email_domains), delete
    on sign_in_provider to school_administrator;

create policy "administrators see sign-in providers" on sign_in_provider
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators connect sign-in providers" on sign_in_provider
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators change sign-in providers" on sign_in_provider
    for update to school_administrator using (organization_id = (select my_organization()));
create policy "administrators disconnect sign-in providers" on sign_in_provider
    for delete to school_administrator using (organization_id = (select my_organization()));
