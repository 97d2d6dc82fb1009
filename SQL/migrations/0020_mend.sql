-- Imports know the service account that ordered them, and warn of what they pass over; the events of one
-- service account are found.

set local role school_owner;
set local search_path = school, pg_temp;

alter table import
    add column service_account_id uuid,
    add column warning_count      integer not null default 0,
    add constraint import_service_account foreign key (organization_id, service_account_id)
        references service_account;
create index import_service_account on import (organization_id, service_account_id);

alter table import_problem add column is_warning boolean not null default false;

create index audit_event_service_account
    on audit_event (organization_id, service_account_id, arrived_at desc, event_id desc)
 where service_account_id is not null;

comment on column import.service_account_id is 'Which service account ordered it; null: a person, or the command.';
comment on column import.warning_count is 'How many rows were passed over, also those beyond the thousand that are kept.';
comment on column import_problem.is_warning is 'It is told and keeps nothing from happening.';
