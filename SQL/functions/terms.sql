-- Functions of terms.

set local role school_owner;
set local search_path = school, pg_temp;

create or replace trigger bump_version before update on term
    for each row execute function bump_version();
