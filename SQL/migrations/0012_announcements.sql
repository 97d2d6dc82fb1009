-- Announcements: what a teacher tells a class, without a task.

create table announcement (
    organization_id uuid           not null,
    announcement_id uuid           not null,
    class_id        uuid           not null,
    author_id       uuid,
    text            text           not null,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint announcement_pkey      primary key (organization_id, announcement_id),
    constraint announcement_class     foreign key (organization_id, class_id) references class on delete cascade,
    constraint announcement_author    foreign key (organization_id, author_id) references person,
    constraint announcement_has_text  check (text ~ '\S' and char_length(text) <= 5000)
);
create index announcement_class on announcement (organization_id, class_id);
create index announcement_author on announcement (organization_id, author_id);
alter table announcement enable row level security;
comment on table announcement is 'What a teacher told a class. author_id is null once the author was erased.';
