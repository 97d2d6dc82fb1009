-- Moves: an organization goes to another cell while it is used. A row says where it lives as long as two cells have it.
--
-- PostgreSQL's logical replication brings each change of the organization to the other cell. It finds a changed or
-- removed row by its replica identity, which has to hold the organization: in the directories over the whole deployment
-- that is not the primary key. No key leads from here to the organization, because the other cell has this row first.

create table organization_move (
    organization_id uuid           not null,
    state           text           not null,
    marker_id       uuid,
    changed_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint organization_move_pkey  primary key (organization_id),
    constraint organization_move_state check (state in ('here', 'readOnly', 'elsewhere'))
);
alter table organization_move enable row level security;
comment on table  organization_move is 'Where an organization lives that two cells have, because it moves.';
comment on column organization_move.state is
    'here: this cell serves it; readOnly: for seconds nothing in it changes; elsewhere: the other cell serves it.';
comment on column organization_move.marker_id is
    'Names the audit event that was written last before it became read-only.';

alter table domain_directory     replica identity using index domain_directory_entry;
alter table managed_id_directory replica identity using index managed_id_directory_entry;
alter table client_directory     replica identity using index client_directory_entry;
-- A code belongs to no organization until a person answers it.
alter table device_code          replica identity full;
