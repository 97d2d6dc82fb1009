-- Reviews: until when a teacher has looked at what a student did of a handout, with or without giving it back.

create table review (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    person_id       uuid           not null,
    teacher_id      uuid           not null,
    reviewed_at     timestamptz(3) not null,
    earlier_at      timestamptz(3),

    constraint review_pkey     primary key (organization_id, teacher_id, handout_id, person_id),
    constraint review_handout  foreign key (organization_id, handout_id) references handout on delete cascade,
    constraint review_person   foreign key (organization_id, person_id)  references person  on delete cascade,
    constraint review_teacher  foreign key (organization_id, teacher_id) references person  on delete cascade,
    constraint review_advances check (earlier_at < reviewed_at)
);
create index review_handout on review (organization_id, handout_id);
create index review_person  on review (organization_id, person_id);
alter table review enable row level security;

comment on table  review is 'That a teacher has looked at what a student did of a handout.';
comment on column review.person_id   is 'The student.';
comment on column review.reviewed_at is 'What the student did until then was looked at.';
comment on column review.earlier_at  is 'What reviewed_at was before it was last moved; null: there was no review.';
