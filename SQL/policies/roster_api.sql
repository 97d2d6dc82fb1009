-- What a roster reader may read beyond what it has for OneRoster (oneroster.sql): the domains of its organization, and
-- when people and the organization came to be. Another system of the school gets it over Apple's Roster API. All others
-- who call that API are people and provisioners with the rights of directory.sql.

grant select on organization_domain to school_roster_reader;
grant select (created_at) on organization to school_roster_reader;
grant select (created_at) on person to school_roster_reader;

create policy "roster readers read the domains of their organization" on organization_domain
    for select to school_roster_reader using (organization_id = (select my_organization()));
