-- What a manager may do with classes and seats (Apple's "manual classes"): everything with classes that no import
-- brought, nothing with the others. The rights of all others, and the columns a manager may write, are in
-- directory.sql.

create policy "managers add classes" on class
    for insert to school_manager
    with check (organization_id = (select my_organization()) and origin = 'manual');
create policy "managers change classes that no import brought" on class
    for update to school_manager
    using (organization_id = (select my_organization()) and origin <> 'import');

grant insert (organization_id, class_id, person_id, role, joined_at, left_at, recorded_at, source_id),
      update (joined_at, left_at, source_id) on seat to school_manager;

create policy "managers seat people in classes that no import brought" on seat
    for insert to school_manager
    with check (organization_id = (select my_organization())
       and coalesce(recorded_at, joined_at) >= (select moment()) and exists (
               select from class as c
                where c.organization_id = seat.organization_id and c.class_id = seat.class_id
                  and c.origin <> 'import'));
create policy "managers end seats in classes that no import brought" on seat
    for update to school_manager
    using (organization_id = (select my_organization()) and exists (
               select from class as c
                where c.organization_id = seat.organization_id and c.class_id = seat.class_id
                  and c.origin <> 'import'));
