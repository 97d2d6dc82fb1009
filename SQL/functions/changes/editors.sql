-- Functions of changes: who edited what /v1/changes does not follow.

-- note_editor: notes who changed what a row says, and when.
create or replace function note_editor() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.edited_by := my_person();
    new.edited_at := moment();
    return new;
end $$;

create or replace trigger note_editor before update on announcement
    for each row when (new.text <> old.text or new.class_id <> old.class_id)
    execute function note_editor();
create or replace trigger note_editor before update on app
    for each row when ((new.name, new.bundle_id, new.product_type, new.is_device_assignable, new.is_revocable, new.platforms)
                       is distinct from (old.name, old.bundle_id, old.product_type, old.is_device_assignable,
                                         old.is_revocable, old.platforms))
    execute function note_editor();
