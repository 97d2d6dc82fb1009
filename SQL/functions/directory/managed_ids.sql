-- Managed IDs: how they are made and reserved.
--
-- A managed ID is unique over the whole deployment, enforced by the primary key of managed_id_directory. The loser of
-- a race waits for the winner's transaction, finds the name taken and tries higher numbers. An entry is reserved
-- before its person is written, in the same transaction.
--
--   make_managed_ids     for people without one, by the organization's format
--   reserve_managed_ids  for people who were given one
--   release_managed_ids  after one was changed
--
-- Arrays of one call are parallel and of the same length; only the array of persons may not contain nulls.
--
-- Security definer, because no standing sees the names of other organizations. Each function checks that it is called
-- for the caller's organization.

-- latin_letters: a name reduced to what a managed ID may contain: a to z, digits, dot, hyphen, underscore.
--
-- Accents are removed, letters without a base letter are transliterated, anything else is dropped.
create or replace function latin_letters(name text) returns text
    language plpgsql immutable strict parallel safe as $$
begin
    if name ~ '^[A-Za-z0-9._-]*$' then
        return lower(name);
    end if;
    name := replace(replace(replace(replace(replace(replace(replace(replace(school.unaccented(name),
        'ß', 'ss'), 'ẞ', 'ss'), 'Æ', 'ae'), 'æ', 'ae'), 'Œ', 'oe'), 'œ', 'oe'), 'Þ', 'th'), 'þ', 'th');
    return lower(regexp_replace(name, '[^A-Za-z0-9._-]', '', 'g'));
end $$;

-- name_letters: latin_letters of a name; empty if the name has no Latin letter at all.
create or replace function name_letters(name text) returns text
    language plpgsql immutable parallel safe as $$
begin
    name := btrim(school.latin_letters(name), '._-');
    return case when name ~ '[a-z]' then name else '' end;
end $$;

-- managed_id_name: the part before the @, by the organization's format.
--
-- Elements: {givenName} {middleName} {familyName} {givenInitial} {middleInitial} {familyInitial}
-- {personNumber} {sourceId} {grade} {email}. An element that the person has nothing for is left out, with
-- what would stand twice around it. Where none of them gives anything (a name without Latin letters),
-- it is the id in the school's information system, else the person number, else "person".
create or replace function managed_id_name(
    format text, given_name text, middle_name text, family_name text,
    person_number text, source_id text, email text, grade text) returns text
    language plpgsql immutable parallel safe as $$
declare
    name     text    := '';
    is_named boolean := false;
    piece    text;
    part     text;
begin
    -- Every piece but the first begins with the name of an element and its closing brace.
    foreach piece in array string_to_array(format, '{') loop
        if strpos(piece, '}') = 0 then
            name := name || piece;
            continue;
        end if;
        part := coalesce(case split_part(piece, '}', 1)
            when 'givenName'     then school.name_letters(given_name)
            when 'middleName'    then school.name_letters(middle_name)
            when 'familyName'    then school.name_letters(family_name)
            when 'givenInitial'  then left(school.name_letters(given_name), 1)
            when 'middleInitial' then left(school.name_letters(middle_name), 1)
            when 'familyInitial' then left(school.name_letters(family_name), 1)
            when 'personNumber'  then school.latin_letters(person_number)
            when 'sourceId'      then school.latin_letters(source_id)
            when 'grade'         then school.latin_letters(grade)
            when 'email'         then school.latin_letters(split_part(email, '@', 1)) end, '');
        is_named := is_named or part <> '';
        name := name || part || split_part(piece, '}', 2);
    end loop;
    name := btrim(regexp_replace(name, '([._-])[._-]+', '\1', 'g'), '._-');
    if not is_named or name = '' then
        name := coalesce(nullif(btrim(school.latin_letters(source_id), '._-'), ''),
                         nullif(btrim(school.latin_letters(person_number), '._-'), ''), 'person');
    end if;
    return name;
end $$;

-- composed_managed_id: name, number and domain in at most 128 characters; number 1 is not written.
create or replace function composed_managed_id(name text, number bigint, domain text) returns text
    language plpgsql immutable strict parallel safe as $$
declare
    digits constant text := case number when 1 then '' else number::text end;
begin
    return rtrim(left(name, managed_id_length(domain) - char_length(digits)), '._-') || digits || '@' || domain;
end $$;

-- managed_id_length (internal): the maximum number of characters before the @.
create or replace function managed_id_length(domain text) returns integer
    language plpgsql immutable strict parallel safe as $$
begin
    return greatest(16, least(64, 127 - char_length(domain)));
end $$;

-- free_managed_id_number (internal): a number with which a name is free as far as can be seen. It doubles the number
-- until it finds a free one, then bisects towards the last one taken, so that the thousandth person of a name takes
-- twenty lookups and not a thousand.
create or replace function free_managed_id_number(name text, domain text) returns bigint
    language plpgsql stable strict security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_variable
declare
    taken  bigint := 0;
    free   bigint := 1;
    middle bigint;
begin
    while exists (select from managed_id_directory
                   where managed_id = composed_managed_id(name, free, domain)) loop
        taken := free;
        free := free * 2;
    end loop;
    while free - taken > 1 loop
        middle := (taken + free) / 2;
        if exists (select from managed_id_directory
                    where managed_id = composed_managed_id(name, middle, domain)) then
            taken := middle;
        else
            free := middle;
        end if;
    end loop;
    return free;
end $$;

-- make_managed_ids: makes and reserves a managed ID for each of the people, in rounds. Each round numbers the people
-- of a name from 1 or, where that was taken, from a free number, all in one statement. Those that lost a race take
-- part in the next round. Persons need not exist yet.
create or replace function make_managed_ids(
    organization uuid, persons uuid[], given_names text[], middle_names text[], family_names text[],
    person_numbers text[], source_ids text[], emails text[], grades text[])
    returns table (person_id uuid, managed_id text)
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    id_format text;
    id_domain text;
    pending   uuid[];
    names     text[];
    is_first_round boolean := true;
begin
    perform check_organization(organization);
    select o.managed_id_format,
           (select d.domain from organization_domain as d
             where d.organization_id = organization order by d.position, d.domain limit 1)
      into id_format, id_domain
      from organization as o where o.organization_id = organization;
    if id_domain is null then
        raise exception 'the organization has no domain' using errcode = 'check_violation',
            constraint = 'organization_has_a_domain';
    end if;
    select array_agg(w.person order by w.position),
           array_agg(left(managed_id_name(id_format, w.given, w.middle, w.family, w.person_number,
                                          w.source, w.email, w.grade), managed_id_length(id_domain))
                     order by w.position)
      into pending, names
      from unnest(persons, given_names, middle_names, family_names, person_numbers, source_ids, emails, grades)
           with ordinality as w (person, given, middle, family, person_number, source, email, grade, position);

    while cardinality(pending) > 0 loop
        with wish as (
            select w.person, w.name, row_number() over (partition by w.name order by w.position) as place
              from unnest(pending, names) with ordinality as w (person, name, position)),
        numbered as (
            select w.person, w.name, w.place - 1 + max(
                       case when w.place > 1 then null when is_first_round then 1
                            else free_managed_id_number(w.name, id_domain) end)
                   over (partition by w.name) as number
              from wish as w),
        reserved as (
            insert into managed_id_directory (managed_id, organization_id, person_id)
            select composed_managed_id(n.name, n.number, id_domain), organization, n.person
              from numbered as n
             order by 1
                on conflict do nothing
            returning person_id)
        select array_agg(w.person order by w.position), array_agg(w.name order by w.position)
          into pending, names
          from unnest(pending, names) with ordinality as w (person, name, position)
         where w.person not in (select r.person_id from reserved as r);
        is_first_round := false;
    end loop;

    return query
    select d.person_id, d.managed_id from managed_id_directory as d
     where d.organization_id = organization and d.person_id = any (persons)
       and d.managed_id not in (select p.managed_id_key from person as p
                                 where p.organization_id = organization and p.person_id = any (persons));
end $$;

-- reserve_managed_ids: reserves managed IDs that were chosen.
--
-- outcome: reserved (also where the person has it already), taken (by someone else), or foreignDomain (not one of the
-- organization's domains, whether or not someone has it: nothing may be revealed about other organizations).
create or replace function reserve_managed_ids(organization uuid, persons uuid[], managed_ids text[])
    returns table (person_id uuid, outcome text)
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    perform check_organization(organization);
    insert into managed_id_directory (managed_id, organization_id, person_id)
    select lower(w.managed_id), organization, w.person
      from unnest(persons, managed_ids) as w (person, managed_id)
     where exists (select from organization_domain as d
                    where d.organization_id = organization
                      and d.domain = split_part(lower(w.managed_id), '@', 2))
     order by 1
        on conflict do nothing;
    return query
    select w.person,
           case when not exists (select from organization_domain as o
                                  where o.organization_id = organization
                                    and o.domain = split_part(lower(w.managed_id), '@', 2))
                then 'foreignDomain'
                when d.person_id = w.person then 'reserved'
                else 'taken' end
      from unnest(persons, managed_ids) as w (person, managed_id)
      left join managed_id_directory as d
        on d.managed_id = lower(w.managed_id) and d.organization_id = organization;
end $$;

-- release_managed_ids: frees the managed IDs that are reserved for these people but not used by them.
create or replace function release_managed_ids(organization uuid, persons uuid[]) returns void
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
begin
    perform check_organization(organization);
    delete from managed_id_directory as d
     where d.organization_id = organization and d.person_id = any (persons)
       and not exists (select from person as p
                        where p.organization_id = d.organization_id and p.person_id = d.person_id
                          and p.managed_id_key = d.managed_id);
end $$;

-- check_organization (internal): refuses a call for an organization other than the caller's.
create or replace function check_organization(organization uuid) returns void
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    if organization is distinct from my_organization() then
        raise exception 'this is not the organization of the caller' using errcode = 'insufficient_privilege';
    end if;
end $$;

grant execute on function make_managed_ids, reserve_managed_ids, release_managed_ids
    to school_directory_manager, school_manager;
