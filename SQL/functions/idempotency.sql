-- Functions of idempotency keys: who counts as the same caller.

set local role school_owner;
set local search_path = school, pg_temp;

-- my_caller: the person or the service account, and as what it calls; the same person through an app, in
-- another role or in the other environment is another caller, because the answer may be another.
create or replace function my_caller() returns text language sql stable parallel safe
    return concat_ws('/', coalesce(my_person()::text, my_service_account()::text, ''), my_standing(),
                     my_environment(), coalesce(my_app(), ''), coalesce(my_team(), ''));
grant execute on function my_caller() to school_standing;
