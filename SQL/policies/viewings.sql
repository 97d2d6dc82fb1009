-- Who may do what with viewings. A function of functions/viewings writes them.
--
--                   viewings
--   administrator   reads those of the organization
--   student         reads those of his or her own work, and of the classes that he or she sat in by then
--   others          nothing
--   no one          changes or removes one

grant select on viewing to school_administrator, school_student;

create policy "administrators read the viewings of their organization" on viewing
    for select to school_administrator
    using (organization_id = (select my_organization()));
create policy "students read who looked at their work" on viewing
    for select to school_student
    using (organization_id = (select my_organization())
       and (student_id = (select my_person()) or student_id is null and exists (
               select from seat as s
                where s.organization_id = viewing.organization_id and s.class_id = viewing.class_id
                  and s.person_id = (select my_person()) and s.role = 'student'
                  and s.joined_at <= viewing.last_at)));
