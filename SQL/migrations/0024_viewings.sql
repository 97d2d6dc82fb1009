-- Viewings: who looked at the work of which students.
--
-- A viewing is kept once for each reader, class or student, and day, so that a teacher who keeps a report open adds one
-- row a day. Nothing refers to other tables: a viewing outlives classes that are removed and people who leave, as an
-- audit event does.

create table viewing (
    organization_id uuid           not null,
    viewing_id      uuid           not null,
    viewed_on       date           not null,
    reader_id       uuid,
    class_id        uuid           not null,
    student_id      uuid,
    times           integer        not null default 1,
    first_at        timestamptz(3) not null,
    last_at         timestamptz(3) not null,

    constraint viewing_pkey              primary key (organization_id, viewing_id),
    constraint viewing_organization      foreign key (organization_id) references organization,
    constraint viewing_is_counted        check (times >= 1),
    constraint viewing_begins_then_ends  check (last_at >= first_at)
);
create unique index viewing_is_kept_once_a_day
    on viewing (organization_id, reader_id, viewed_on, class_id, student_id) nulls not distinct
    where reader_id is not null;
create index viewing_day     on viewing (organization_id, viewed_on desc, viewing_id desc);
create index viewing_class   on viewing (organization_id, class_id, viewed_on desc, viewing_id desc);
create index viewing_student on viewing (organization_id, student_id, viewed_on desc, viewing_id desc)
    where student_id is not null;

alter table viewing enable row level security;

comment on table  viewing is 'Someone looked at the work of a class, or of one student in it, on a day.';
comment on column viewing.viewed_on is 'The day in the time zone of the organization.';
comment on column viewing.reader_id is 'Who looked; null: someone who was erased since. No key, as in the audit trail.';
comment on column viewing.student_id is 'Whose work it was; null: a report on the class, with all its students.';
comment on column viewing.times is 'How often; what is less than a minute after the last time counts as the same time.';
comment on column viewing.last_at is 'When the last time began.';
