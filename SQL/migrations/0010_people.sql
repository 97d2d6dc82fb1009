-- People at the size of a large district: found by parts of their names, listed by their roles, and
-- told from those who are locked out.

set local role school_owner;
set local search_path = school, pg_temp;

alter table managed_id_directory
    drop constraint managed_id_directory_is_a_managed_id,
    add constraint managed_id_directory_is_a_managed_id
        check (managed_id ~ '^[^@\s]+@[^@\s]+$' and char_length(managed_id) <= 128);

-- Names as they are searched: each word after one space or more. No table may lean on a function of
-- ours, so the expression stands here; name_text() does the same to what is asked for.
alter table person add column name_text text not null generated always as (
    ' ' || replace(replace(replace(replace(lower(translate(
        regexp_replace(normalize(given_name || ' ' || coalesce(middle_name || ' ', '') || family_name, NFKD),
                       '[\u0300-\u036f]', '', 'g'),
        'ØøŁłĐđıĦħŦŧŊŋÐðƏəĸſẞÆŒÞ-‐‑.,_''’ʼ`´', 'OoLlDdiHhTtNnDdEeksßæœþ      ')),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')) stored;

comment on column person.name_text is 'Given, middle and family name in lower case without accents, for search.';

-- pg_trgm was made by roles.sql, in whichever schema it stands.
do $$
begin
    execute format('create index person_name_text on person using gin (name_text %s.gin_trgm_ops)',
                   (select opcnamespace::regnamespace from pg_opclass where opcname = 'gin_trgm_ops'));
end $$;

create index person_role_role on person_role (organization_id, role, person_id);
create index credential_lock  on credential (organization_id, locked_until) where locked_until is not null;
