-- With which token an event was caused, and where the audit trail ended when an export was made.

set local role school_owner;
set local search_path = school, pg_temp;

-- Empty columns change no digest of events that were sealed before (audit_event_digest).
alter table audit_event add column session_id uuid, add column token_id text;
comment on column audit_event.session_id is 'The sign-in whose token acted; null: a token without one, or none.';
comment on column audit_event.token_id is
    'The token that acted: the first 16 hexadecimal digits of its SHA-256, of which it cannot be made; null: none.';
create index audit_event_session on audit_event (organization_id, session_id, arrived_at desc, event_id desc)
    where session_id is not null;
create index audit_event_token on audit_event (organization_id, token_id, arrived_at desc, event_id desc)
    where token_id is not null;

alter table export_snapshot add column seal_number bigint, add column seal_digest text;
comment on column export_snapshot.seal_number is 'The last seal of the audit trail then; null: there was none.';
comment on column export_snapshot.seal_digest is 'Its digest in hexadecimal, which the next export looks for.';
