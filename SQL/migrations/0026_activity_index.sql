-- No question asks for the activities of an organization by when they were written: exports go by transactions, and
-- reports by what counts. An index for it costs each upload, and to a planner without statistics it looks as good as
-- the key, so that in the first minute of a new server each upload would read all that there is.

set local role school_owner;
set local search_path = school, pg_temp;

drop index activity_updated;
