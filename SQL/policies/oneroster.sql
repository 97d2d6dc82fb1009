-- What a roster reader may do with the directory: read the roster of its organization. Another system of the school
-- gets it over OneRoster. Seats, roles and terms say nothing about progress. What it may do with grades is in
-- gradebook.sql.
-- Its policies look at the organization alone: answers are kept for all who may read its roster
-- (Sources/decisions/roster-answers.md).
--
--                      organization, locations, terms, courses, classes, seats, roles   people
--   roster reader      reads, and what was removed                                      reads, without password rules

grant select on roster_tombstone to school_roster_reader;
grant select (organization_id, name, time_zone, updated_at) on organization to school_roster_reader;
grant select on location, term, course, class, seat, person_role to school_roster_reader;
grant select (organization_id, person_id, source_id, given_name, middle_name, family_name, person_number, managed_id,
              email, grade, deactivated_at, updated_at) on person to school_roster_reader;

create policy "roster readers read their organization" on organization
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read tombstones" on roster_tombstone
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read locations" on location
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read terms" on term
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read courses" on course
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read classes" on class
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read seats" on seat
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read roles" on person_role
    for select to school_roster_reader using (organization_id = (select my_organization()));
create policy "roster readers read people" on person
    for select to school_roster_reader using (organization_id = (select my_organization()));
