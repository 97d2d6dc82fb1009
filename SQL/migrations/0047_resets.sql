-- Who reset whose password, until the person has seen it; who seated a teacher; and as what somebody could see
-- an answer that is kept for its repetition.

set local role school_owner;
set local search_path = school, pg_temp;

create table password_reset (
    organization_id       uuid           not null,
    reset_id              uuid           not null,
    person_id             uuid           not null,
    reset_at              timestamptz(3) not null default date_trunc('milliseconds', now()),
    standing              text           not null,
    by_person_id          uuid,
    by_service_account_id uuid,

    constraint password_reset_pkey   primary key (organization_id, reset_id),
    constraint password_reset_person foreign key (organization_id, person_id)
                                     references person on delete cascade
);
create index password_reset_person on password_reset (organization_id, person_id);
create index password_reset_by_person on password_reset (organization_id, by_person_id)
    where by_person_id is not null;
alter table password_reset enable row level security;

comment on table  password_reset is 'Somebody else replaced a person''s password; until the person confirms it.';
comment on column password_reset.standing is 'As what that was done; server: by whoever runs the machine.';
comment on column password_reset.by_person_id is 'Who; null: no person, or one who was erased since.';

-- Nobody may set it: the transaction says who writes. Null: a service, or before this column was there.
alter table seat add column seated_by uuid
    default nullif(current_setting('school.person', true), '')::uuid;
comment on column seat.seated_by is 'Who seated this person, or prolonged the seat; null: no person.';
create index seat_seated_by on seat (organization_id, seated_by) where role = 'teacher' and seated_by is not null;

alter table idempotency_key add column sight bytea;
comment on column idempotency_key.sight is 'What the caller could see then, as my_sight() says it; else no replay.';
