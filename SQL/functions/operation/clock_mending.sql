-- Functions of mending: what a clock that was ahead left in the future, once it is right again.

-- mend_future: takes back what lasts longer from now than it ever may, because it was written while the clock was ahead:
-- sign-ins that would be valid for years, locks, deliveries, rules and nights that would wait for them. After a jump
-- only, and only if the clock is not before the time from which it jumped: if it went back without having been ahead,
-- then now is wrong, and not what was written. May be called any number of times.
create or replace function mend_future() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    present constant timestamptz := moment();
    soon    constant timestamptz := present + interval '5 minutes';
    day     constant timestamptz := present + interval '1 day';
begin
    if not exists (select from clock as c
                    where c.jumped_to >= c.jumped_from and present >= c.jumped_from)
    then
        return;
    end if;

    update access_token set expires_at = present + (expires_at - created_at), created_at = present
     where created_at > soon and not is_at_rest(organization_id);
    update refresh_token
       set expires_at = present + (expires_at - created_at), created_at = present,
           rotated_at = least(rotated_at, present)
     where created_at > soon and not is_at_rest(organization_id);
    update refresh_token set rotated_at = present where rotated_at > soon and not is_at_rest(organization_id);
    update session set started_at = present, ends_at = least(ends_at, present)
     where started_at > soon and not is_at_rest(organization_id);
    update authorization_code set expires_at = present where created_at > soon and not is_at_rest(organization_id);
    update device_code set expires_at = present where requested_at > soon and not is_at_rest(organization_id);
    update credential set locked_until = present where locked_until > day and not is_at_rest(organization_id);
    update sign_in_device set expires_at = present + interval '180 days'
     where expires_at > day + interval '180 days' and not is_at_rest(organization_id);
    update tool_launch set expires_at = present where expires_at > day and not is_at_rest(organization_id);
    update tool_token_id set expires_at = day where expires_at > day and not is_at_rest(organization_id);
    update idempotency_key set expires_at = day where expires_at > day and not is_at_rest(organization_id);
    update signing_key
       set created_at = least(created_at, present), signs_from = least(signs_from, day)
     where created_at > soon or signs_from > day;

    update retention_rule
       set set_at = least(set_at, present), effective_at = least(effective_at, present + interval '30 days')
     where (set_at > soon or effective_at > present + interval '30 days') and not is_at_rest(organization_id);
    update organization_deletion set due_at = present + (due_at - ordered_at), ordered_at = present
     where ordered_at > soon and not is_at_rest(organization_id);
    delete from retention_night where finished_at > soon and not is_at_rest(organization_id);

    update upload set retry_at = present where retry_at > day and not is_at_rest(organization_id);
    update webhook_delivery set next_attempt_at = present
     where next_attempt_at > day and not is_at_rest(organization_id);
    update webhook
       set claimed_until = least(claimed_until, soon), failing_since = least(failing_since, present),
           former_until = least(former_until, day)
     where (claimed_until > soon or failing_since > soon or former_until > day) and not is_at_rest(organization_id);
    update roster_source
       set claimed_until = least(claimed_until, soon), failing_since = least(failing_since, present),
           next_pull_at = least(next_pull_at, day)
     where (claimed_until > soon or failing_since > soon or next_pull_at > day + interval '1 day')
       and not is_at_rest(organization_id);
    delete from roster_place where noted_at > soon and not is_at_rest(organization_id);
end $$;
grant execute on function mend_future() to school_server;
