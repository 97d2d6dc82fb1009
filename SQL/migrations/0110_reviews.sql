-- Reviews: that a teacher has looked at a task as a student had done it, with or without giving it back.
--
-- A review names the moment of the mark "done" that was looked at, and holds for that alone. It does not hold for all
-- that was done until then: what another transaction did earlier may be committed later.

create table review (
    organization_id uuid           not null,
    task_id         uuid           not null,
    person_id       uuid           not null,
    teacher_id      uuid           not null,
    done_at         timestamptz(3) not null,
    reviewed_at     timestamptz(3) not null,

    constraint review_pkey    primary key (organization_id, teacher_id, task_id, person_id),
    constraint review_task    foreign key (organization_id, task_id)    references task   on delete cascade,
    constraint review_person  foreign key (organization_id, person_id)  references person on delete cascade,
    constraint review_teacher foreign key (organization_id, teacher_id) references person on delete cascade
);
create index review_task   on review (organization_id, task_id);
create index review_person on review (organization_id, person_id);
alter table review enable row level security;

comment on table  review is 'That a teacher has looked at what a student did.';
comment on column review.person_id   is 'The student.';
comment on column review.done_at     is 'When the student had done what was looked at.';
comment on column review.reviewed_at is 'When the teacher said so.';
