-- Who may follow which changes.
--
--   directory readers   all of the directory: locations, terms, courses, people, classes and rosters
--   teachers            locations, terms and courses; the people, classes, rosters and handouts that they read now
--   others              nothing
--
-- Of a removed handout a teacher learns only if he or she could read it. Of the transactions that noted changes, each
-- follower sees those with a change that he or she sees. No one writes: triggers do.

grant select on change, change_transaction to school_directory_reader, school_teacher;

create policy "directory readers follow the directory" on change
    for select to school_directory_reader
    using (organization_id = (select my_organization()) and kind <> 'handout');
create policy "teachers follow what they read" on change
    for select to school_teacher
    using (organization_id = (select my_organization())
       and (kind in ('location', 'term', 'course')
            or kind in ('class', 'roster') and subject_id = any ((select my_taught_class_ids())::uuid[])
            or kind = 'person' and (subject_id = (select my_person())
                                    or subject_id = any ((select my_taught_person_ids())::uuid[]))
            or kind = 'handout' and subject_id = any ((select my_given_handout_ids())::uuid[])));

create policy "followers read the positions of what they follow" on change_transaction
    for select to school_directory_reader, school_teacher
    using (organization_id = (select my_organization())
       and exists (select from change as c
                    where c.organization_id = change_transaction.organization_id
                      and c.transaction = change_transaction.transaction
                   -- Looked up for each; without this, PostgreSQL may read all changes that are kept instead.
                   offset 0));
