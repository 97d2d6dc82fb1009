-- Comments: what a student and those who teach the class write to each other about a handout, and how far each has
-- read.

create table comment (
    organization_id uuid           not null,
    comment_id      uuid           not null,
    handout_id      uuid           not null,
    person_id       uuid           not null,
    position        integer        not null,
    author_id       uuid,
    text            text,
    written_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    removed_at      timestamptz(3),

    constraint comment_pkey       primary key (organization_id, comment_id),
    constraint comment_has_a_place_of_its_own unique (organization_id, handout_id, person_id, position),
    constraint comment_handout    foreign key (organization_id, handout_id) references handout on delete cascade,
    constraint comment_person     foreign key (organization_id, person_id)  references person  on delete cascade,
    constraint comment_author     foreign key (organization_id, author_id)  references person,
    constraint comment_text_length check (char_length(text) between 1 and 4000),
    constraint comment_says_something_until_it_is_removed check ((text is null) = (removed_at is not null)),
    constraint comments_of_a_student_have_room check (position between 1 and 1000)
);
create index comment_person on comment (organization_id, person_id);
create index comment_author on comment (organization_id, author_id);
alter table comment enable row level security;

comment on table  comment is 'What a student and the teachers of the class wrote to each other about a handout.';
comment on column comment.person_id  is 'The student, whoever wrote it.';
comment on column comment.position   is 'The place among those of this student at this handout; later ones were committed later.';
comment on column comment.author_id  is 'Who wrote it: the student, or a teacher; null if the teacher was erased.';
comment on column comment.text       is 'Null once the author has removed it.';

create table comment_seen (
    organization_id uuid    not null,
    handout_id      uuid    not null,
    person_id       uuid    not null,
    reader_id       uuid    not null,
    position        integer not null,

    constraint comment_seen_pkey    primary key (organization_id, reader_id, handout_id, person_id),
    constraint comment_seen_handout foreign key (organization_id, handout_id) references handout on delete cascade,
    constraint comment_seen_person  foreign key (organization_id, person_id)  references person  on delete cascade,
    constraint comment_seen_reader  foreign key (organization_id, reader_id)  references person  on delete cascade
);
create index comment_seen_handout on comment_seen (organization_id, handout_id);
create index comment_seen_person  on comment_seen (organization_id, person_id);
alter table comment_seen enable row level security;

comment on table  comment_seen is 'How far the student or a teacher has read the comments of a student at a handout.';
comment on column comment_seen.person_id is 'The student.';
comment on column comment_seen.position  is 'The place of the last comment that was read.';
