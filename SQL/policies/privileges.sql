-- Who may do what with privileges.
--
--                  privileges                 classes made with them         students' passwords
--   administrator  grants and withdraws them  see directory.sql              see functions/access/passwords.sql
--   teacher        reads what he or she       makes them; changes those      of the school's classes that he or she
--                  holds, with functions      that he or she teaches now     teaches now
--   others         nothing                    see directory.sql              see functions/access/passwords.sql
--
-- Teachers have no right to write classes or seats. They act through the functions of functions/privileges, which
-- first lock what their right depends on: a privilege, role or seat that is taken away ends the right at once, also
-- for a call that is on its way.

grant select, insert (organization_id, name, location_id, is_granted), update (is_granted), delete
    on privilege to school_administrator;

create policy "administrators read privileges" on privilege
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators grant privileges" on privilege
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators change privileges" on privilege
    for update to school_administrator using (organization_id = (select my_organization()));
create policy "administrators withdraw privileges" on privilege
    for delete to school_administrator using (organization_id = (select my_organization()));
