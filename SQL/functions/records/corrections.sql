-- Functions of corrections: what a person's record said before.

-- keep_what_it_was: stores the former values of the fields that a change of a person gives another value: those of
-- person_facts(), as a test proves, and the managed ID. They are written out, because imports correct whole districts:
-- comparing rows as JSON takes twice as long.
create or replace function keep_what_it_was() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into person_correction (organization_id, correction_id, person_id, corrected_by, was)
    select new.organization_id, new_id(), new.person_id, my_person(), jsonb_object_agg(camel_case(f.name), f.was)
      from (values ('source_id',     old.source_id,     new.source_id),
                   ('given_name',    old.given_name,    new.given_name),
                   ('middle_name',   old.middle_name,   new.middle_name),
                   ('family_name',   old.family_name,   new.family_name),
                   ('person_number', old.person_number, new.person_number),
                   ('managed_id',    old.managed_id,    new.managed_id),
                   ('email',         old.email,         new.email),
                   ('grade',         old.grade,         new.grade)) as f (name, was, is_now)
     where f.was is distinct from f.is_now;
    return null;
end $$;

-- camel_case (internal): the name in JSON of a column.
create or replace function camel_case(p_column text) returns text
    language sql immutable
    return left(p_column, 1) || substr(replace(initcap(replace(p_column, '_', ' ')), ' ', ''), 2);

create or replace trigger keep_what_it_was after update on person
    for each row when ((old.source_id, old.given_name, old.middle_name, old.family_name, old.person_number,
                        old.managed_id, old.email, old.grade)
                       is distinct from (new.source_id, new.given_name, new.middle_name, new.family_name,
                                         new.person_number, new.managed_id, new.email, new.grade))
    execute function keep_what_it_was();
