-- Why the files of an ordered export are gone before their time.

set local role school_owner;
set local search_path = school, pg_temp;

alter table export add column expired_because text
    constraint export_expires_for_a_reason check (expired_because in ('erasure', 'progressDeleted'));
comment on column export.expired_because is 'Null: they are there, or a week was over.';
