-- What is new for a teacher. News are derived from what is stored anyway, so that they go as soon as the right to see
-- it goes. What is not stored elsewhere is how far a teacher has looked, and that a handout was posted at a time set
-- before.

create table news_seen (
    organization_id uuid           not null,
    person_id       uuid           not null,
    seen_at         timestamptz(3) not null,

    constraint news_seen_pkey   primary key (organization_id, person_id),
    constraint news_seen_person foreign key (organization_id, person_id) references person on delete cascade
);

alter table handout
    add column was_scheduled boolean not null default false;
update handout set was_scheduled = true where publish_at > now();

-- News look for what was done lately at all tasks of a teacher.
create index assignment_done on assignment (organization_id, task_id, done_at) where done_at is not null;

alter table news_seen enable row level security;

comment on table  news_seen is 'How far a teacher has looked at what is new.';
comment on column news_seen.seen_at is 'What happened until then was seen.';
comment on column handout.was_scheduled is 'Whether its time of publication was in the future when it was set.';
