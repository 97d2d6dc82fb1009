-- With which token an import or an export was ordered: the worker that does it later tells the audit event.

set local role school_owner;
set local search_path = school, pg_temp;

-- Nobody may set them: the transaction says which token it is.
alter table import
    add column session_id uuid default nullif(current_setting('school.session', true), '')::uuid,
    add column token_id   text default nullif(current_setting('school.token', true), '');
alter table export
    add column session_id uuid default nullif(current_setting('school.session', true), '')::uuid,
    add column token_id   text default nullif(current_setting('school.token', true), '');

comment on column import.session_id is 'The sign-in whose token ordered it; null: none, or before this column was there.';
comment on column import.token_id   is 'That token, as audit_event.token_id has it.';
comment on column export.session_id is 'The sign-in whose token ordered it; null: none, or before this column was there.';
comment on column export.token_id   is 'That token, as audit_event.token_id has it.';
