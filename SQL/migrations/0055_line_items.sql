-- Line items that tools make: figures beside the score of a task (LTI Assignment and Grade Services 2.0, section 3.1).
--
-- A score of one becomes an additional item of the student's attempt. A tool reports the items of an attempt one by
-- one, so a part of an attempt now says whether it leaves alone the items that it does not name.

create table tool_line_item (
    organization_id uuid             not null,
    line_item_id    uuid             not null,
    task_id         uuid             not null,
    label           text             not null,
    score_maximum   double precision not null,
    resource_id     text,
    tag             text,
    deleted_at      timestamptz(3),
    created_at      timestamptz(3)   not null default date_trunc('milliseconds', now()),

    constraint tool_line_item_pkey          primary key (organization_id, line_item_id),
    constraint tool_line_item_task          foreign key (organization_id, task_id) references task on delete cascade,
    constraint tool_line_item_has_a_label   check (label ~ '\S' and char_length(label) <= 256),
    constraint tool_line_item_score_maximum check (score_maximum between 1e-9 and 1e12),
    constraint tool_line_item_resource_id   check (char_length(resource_id) between 1 and 256),
    constraint tool_line_item_tag           check (char_length(tag) between 1 and 256)
);
create index tool_line_item_task on tool_line_item (organization_id, task_id);

alter table activity_part add column is_partial boolean not null default false;

alter table tool_line_item enable row level security;

comment on table  tool_line_item is 'A figure that a tool reports of a task, beside the score of the task itself.';
comment on column tool_line_item.label is 'What teachers and students read beside its scores.';
comment on column tool_line_item.score_maximum is 'The greatest score, as the tool says.';
comment on column tool_line_item.resource_id is 'What the tool calls its resource; null: it has not said.';
comment on column tool_line_item.tag is 'A word of the tool, by which it finds its line items.';
comment on column tool_line_item.deleted_at is 'The tool removed it; kept because a task has a limited number in all.';
comment on column activity_part.is_partial is
    'Yes: it says nothing of items that it does not name. No: attempts have the items that it names, and no others.';
comment on column activity_part.items is
    'The primary item or null, and the others; empty: the part says nothing of items. An item of several parts merged '
    'into one has in "at" when it was changed, in milliseconds since 1970.';
