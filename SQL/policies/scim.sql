-- What a directory writer may do: read and write people, classes and seats of its organization, and nothing else. An
-- identity provider does it over SCIM.
--
--                      organization, domains   locations          people, roles                  classes, seats
--   directory writer   reads                   reads, renames     all with roles it may give     all
--
-- Source ids are those of the information system. What a client calls a record, its external id, only that client
-- reads and writes: those of one service account, or those of all tokens that the operator made.
--
-- Which roles those are, may_give_role() says; protect_higher_roles() refuses everyone else. Managed IDs are reserved
-- and freed by functions.

grant select on organization, organization_domain, location, class, seat, person_role to school_directory_writer;
grant select (organization_id, person_id, source_id, given_name, middle_name, family_name, person_number, managed_id,
              managed_id_key, email, grade, name_order, deactivated_at, withdrawn_at, version, created_at, updated_at)
    on person to school_directory_writer;
grant update (name) on location to school_directory_writer;
grant insert (organization_id, person_id, given_name, middle_name, family_name, person_number, managed_id,
              email, grade),
      update (given_name, middle_name, family_name, person_number, managed_id, email, grade,
              deactivated_at, withdrawn_at)
    on person to school_directory_writer;
grant insert (organization_id, person_id, location_id, role), delete on person_role to school_directory_writer;
grant insert (organization_id, class_id, location_id, name),
      update (location_id, name, archived_at)
    on class to school_directory_writer;
grant insert (organization_id, class_id, person_id, role, joined_at, left_at, recorded_at),
      update (joined_at, left_at)
    on seat to school_directory_writer;

grant select, insert (organization_id, service_account_id, person_id, class_id, location_id, value),
      update (value), delete
    on external_id to school_directory_writer;

create policy "directory writers keep external ids of their own" on external_id
    for all to school_directory_writer
    using (organization_id = (select my_organization())
       and service_account_id is not distinct from (select my_service_account()));

create policy "directory writers read their organization" on organization
    for select to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers read the domains of their organization" on organization_domain
    for select to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers read locations" on location
    for select to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers rename locations" on location
    for update to school_directory_writer using (organization_id = (select my_organization()));

create policy "directory writers read people" on person
    for select to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers add people" on person
    for insert to school_directory_writer with check (organization_id = (select my_organization()));
create policy "directory writers change people" on person
    for update to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers read roles" on person_role
    for select to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers give roles that are theirs to give" on person_role
    for insert to school_directory_writer
    with check (organization_id = (select my_organization()) and may_give_role(role));
create policy "directory writers take roles that are theirs to give" on person_role
    for delete to school_directory_writer
    using (organization_id = (select my_organization()) and may_give_role(role));

create policy "directory writers read classes" on class
    for select to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers add classes" on class
    for insert to school_directory_writer with check (organization_id = (select my_organization()));
create policy "directory writers change classes" on class
    for update to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers read seats" on seat
    for select to school_directory_writer using (organization_id = (select my_organization()));
create policy "directory writers seat people" on seat
    for insert to school_directory_writer
    with check (organization_id = (select my_organization())
       and coalesce(recorded_at, joined_at) >= (select moment()));
create policy "directory writers end seats" on seat
    for update to school_directory_writer using (organization_id = (select my_organization()));
