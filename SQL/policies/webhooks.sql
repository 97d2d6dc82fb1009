-- Who may do what with webhooks.
--
--                    webhooks                                deliveries and attempts
--   administrators   register, see, change and remove them   see them; order another with redeliver()
--   others           nothing                                 nothing
--
-- Nobody reads a secret, not even sealed, or how far changes were sent, and nobody writes a secret that is not sealed.
-- Webhooks send changes of the directory, which administrators may read, and nothing of handouts, which they may not.

grant select (organization_id, webhook_id, name, url, kinds, secret_changed_at, former_until, is_enabled,
              disabled_because, failing_since, version, created_at, updated_at),
      insert (organization_id, webhook_id, name, url, kinds, is_enabled, sealed_secret, key_id),
      update (name, url, kinds, is_enabled, sealed_secret, key_id), delete on webhook to school_administrator;

create policy "administrators see webhooks" on webhook
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators register webhooks" on webhook
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators change webhooks" on webhook
    for update to school_administrator using (organization_id = (select my_organization()));
create policy "administrators remove webhooks" on webhook
    for delete to school_administrator using (organization_id = (select my_organization()));

grant select on webhook_delivery, webhook_attempt to school_administrator;

create policy "administrators see deliveries" on webhook_delivery
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators see attempts" on webhook_attempt
    for select to school_administrator using (organization_id = (select my_organization()));
