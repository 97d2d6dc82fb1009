-- Functions of names: which one comes first, and a full name.

-- my_name_order: which name comes first in the caller's organization, unless a person says otherwise. Definer, because
-- not everyone who reads names reads the organization.
create or replace function my_name_order() returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select o.name_order from organization as o where o.organization_id = my_organization());
end $$;
grant execute on function my_name_order() to school_standing;

-- name_order_of: which name of a person of the caller's organization comes first.
create or replace function name_order_of(p_person person) returns text
    language sql stable
    return coalesce(p_person.name_order, (select my_name_order()));
grant execute on function name_order_of(person) to school_standing;

-- is_east_asian: whether a character is Han, kana or Hangul.
create or replace function is_east_asian(p_character text) returns boolean
    language sql immutable parallel safe
    return p_character ~ '[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]';

-- full_name: a full name in that order, as FullName in Sources/Foundations/Values writes it: two names in an East Asian script have
-- no space between them where the family name comes first.
create or replace function full_name(p_given_name text, p_family_name text, p_order text) returns text
    language sql immutable parallel safe
    return case when p_order is distinct from 'familyFirst' then p_given_name || ' ' || p_family_name
                when is_east_asian(right(p_family_name, 1)) and is_east_asian(left(p_given_name, 1))
                then p_family_name || p_given_name
                else p_family_name || ' ' || p_given_name end;
