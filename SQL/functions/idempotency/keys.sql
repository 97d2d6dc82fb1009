-- Functions of idempotency keys: who counts as the same caller, and who may still see an answer.

-- my_caller: the person or service account, and the capacity in which it calls. The same person through an app, in
-- another role or in the other environment is another caller, because the answer may differ.
create or replace function my_caller() returns text language sql stable parallel safe
    return concat_ws('/', coalesce(my_person()::text, my_service_account()::text, ''), my_standing(),
                     my_environment(), coalesce(my_app(), ''), coalesce(my_team(), ''));
grant execute on function my_caller() to school_standing;

-- my_sight: a digest of everything besides the standing that decides which rows the caller sees: the roles and their
-- locations, and the classes taught and sat in now. If it has changed since an answer was given, the answer may show
-- what the caller may no longer see, and is not repeated. Answers to apps contain nothing of that, and apps do not
-- learn that it changed.
create or replace function my_sight() returns bytea
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if my_standing() = 'app' then
        return sha256('app');
    end if;
    return sha256(convert_to(concat_ws('|',
        (select string_agg(role || '@' || location_id, ',' order by role, location_id) from person_role
          where organization_id = my_organization() and person_id = my_person()),
        'teaches', (select string_agg(id::text, ',' order by id) from unnest(my_taught_class_ids()) as id),
        'sits in', (select string_agg(id::text, ',' order by id) from unnest(my_class_ids()) as id)), 'UTF8'));
end $$;
grant execute on function my_sight() to school_standing;
