-- A preview can be applied: what it planned is remembered, so that it is seen whether the directory changed since.

set local role school_owner;
set local search_path = school, pg_temp;

alter table import add column plan_digest bytea;

comment on column import.plan_digest is
    'Of the plan that a preview showed, to compare with the plan when it is applied; null: it showed none.';
