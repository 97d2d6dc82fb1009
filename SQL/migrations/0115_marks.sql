-- Marks: what a teacher says that a student's work is worth, for a handout as a whole or for one of its tasks.
--
-- What a teacher writes is a draft of his or her own until it is given to the student. So drafts have a table of their
-- own, which nobody else reads, and giving one replaces the mark that the student had.

alter table handout
    add column maximum_points numeric(6, 2),
    add constraint handout_maximum_points check (maximum_points between 0.01 and 1000);
alter table task
    add column maximum_points numeric(6, 2),
    add constraint task_maximum_points check (maximum_points between 0.01 and 1000);

comment on column handout.maximum_points is 'How many points there are for it as a whole; null: it has no mark.';
comment on column task.maximum_points    is 'How many points there are for it; null: it has no mark.';

create table mark (
    organization_id uuid           not null,
    mark_id         uuid           not null,
    handout_id      uuid           not null,
    task_id         uuid,
    person_id       uuid           not null,
    author_id       uuid,
    points          numeric(6, 2),
    maximum_points  numeric(6, 2)  not null,
    given_at        timestamptz(3) not null,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint mark_pkey       primary key (organization_id, mark_id),
    constraint mark_is_one_for_each_student unique nulls not distinct
                               (organization_id, handout_id, person_id, task_id),
    constraint mark_handout    foreign key (organization_id, handout_id) references handout on delete cascade,
    constraint mark_task       foreign key (organization_id, task_id)    references task    on delete cascade,
    constraint mark_person     foreign key (organization_id, person_id)  references person  on delete cascade,
    constraint mark_author     foreign key (organization_id, author_id)  references person,
    constraint mark_is_no_more_than_there_is check (points between 0 and maximum_points)
);
create index mark_task   on mark (organization_id, task_id) where task_id is not null;
create index mark_person on mark (organization_id, person_id);
create index mark_author on mark (organization_id, author_id);
alter table mark enable row level security;

comment on table  mark is 'What a student''s work is worth, as a teacher told the student.';
comment on column mark.task_id        is 'Null: it is about the handout as a whole.';
comment on column mark.person_id      is 'The student.';
comment on column mark.author_id      is 'Who gave it or took it away; null if that teacher was erased.';
comment on column mark.points         is 'Null: it was taken away.';
comment on column mark.maximum_points is 'How many there were when it was given.';
comment on column mark.given_at       is 'When it was given or taken away.';

create table mark_draft (
    organization_id uuid           not null,
    mark_draft_id   uuid           not null,
    handout_id      uuid           not null,
    task_id         uuid,
    person_id       uuid           not null,
    author_id       uuid           not null,
    points          numeric(6, 2)  not null,
    replaces        bigint         not null,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint mark_draft_pkey    primary key (organization_id, mark_draft_id),
    constraint mark_draft_is_one_for_each_author unique nulls not distinct
                                  (organization_id, author_id, handout_id, person_id, task_id),
    constraint mark_draft_handout foreign key (organization_id, handout_id) references handout on delete cascade,
    constraint mark_draft_task    foreign key (organization_id, task_id)    references task    on delete cascade,
    constraint mark_draft_person  foreign key (organization_id, person_id)  references person  on delete cascade,
    constraint mark_draft_author  foreign key (organization_id, author_id)  references person  on delete cascade,
    constraint mark_draft_points  check (points between 0 and 1000)
);
create index mark_draft_handout on mark_draft (organization_id, handout_id);
create index mark_draft_task    on mark_draft (organization_id, task_id) where task_id is not null;
create index mark_draft_person  on mark_draft (organization_id, person_id);
alter table mark_draft enable row level security;

comment on table  mark_draft is 'A mark that its author has not given to the student yet.';
comment on column mark_draft.task_id   is 'Null: it is about the handout as a whole.';
comment on column mark_draft.person_id is 'The student.';
comment on column mark_draft.replaces  is 'The version of the mark that its author knew of; 0: there was none.';
