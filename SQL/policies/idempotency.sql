-- Who may do what with idempotency keys.
--
--   everyone    claims, completes and reads own ones
--   no one      removes one
--
-- The caller's own keys are of the same person in the same standing, app and environment (my_caller()).

grant select, insert (organization_id, caller, route, key, request_digest),
      update (request_digest, status, headers, body, sight, expires_at)
    on idempotency_key to school_standing;

create policy "callers read own keys" on idempotency_key
    for select to school_standing
    using (organization_id = my_organization() and caller = my_caller());
create policy "callers claim keys of their own" on idempotency_key
    for insert to school_standing
    with check (organization_id = my_organization() and caller = my_caller());
create policy "callers complete own keys" on idempotency_key
    for update to school_standing
    using (organization_id = my_organization() and caller = my_caller());
