-- Publishing finds contexts by their paths, also while the planner knows little of the table.
--
-- An index of the organization and a person who is null in every context of the catalog looked as good to it as
-- the one that holds the path, and reads the whole catalog of an organization for each context of a call. So did the
-- index of parents, whose first columns are the same: leaving out where there is no parent, which no question for one
-- asks for, keeps it to those questions.

set local role school_owner;
set local search_path = school, pg_temp;

drop index context_person;
create index context_person on context (organization_id, person_id) where person_id is not null;
drop index context_parent;
create index context_parent on context (organization_id, bundle_id, environment, parent_path)
    where parent_path is not null and deleted_at is null;
