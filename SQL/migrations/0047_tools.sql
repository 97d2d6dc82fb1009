-- Tools: other systems in which students work on what a teacher gave them, and which report scores (LTI 1.3).
--
-- A tool's link is a task. What the tool reports of a student at it goes into the inbox as an app's upload does, under
-- the name tool:ID in place of a bundle id and the task's id as the path, so that the one rule about what is stored
-- holds for both.

create table tool (
    organization_id    uuid           not null,
    tool_id            uuid           not null,
    deployment_id      uuid           not null default gen_random_uuid(),
    name               text           not null,
    login_url          text           not null,
    redirect_uris      text[]         not null,
    launch_url         text           not null,
    deep_linking_url   text,
    key_set_url        text,
    key_set            text,
    location_id        uuid,
    is_telling_names   boolean        not null default false,
    is_telling_emails  boolean        not null default false,
    removed_at         timestamptz(3),
    version            bigint         not null default 1,
    created_at         timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint tool_pkey             primary key (organization_id, tool_id),
    constraint tool_organization     foreign key (organization_id) references organization,
    constraint tool_client           foreign key (organization_id, tool_id)
                                     references client_directory (organization_id, client_id),
    constraint tool_location         foreign key (organization_id, location_id) references location,
    constraint tool_has_a_name       check (name ~ '\S' and char_length(name) <= 256),
    constraint tool_addresses        check (
        login_url ~ '^https?://[^#]+$' and launch_url ~ '^https?://[^#]+$' and deep_linking_url ~ '^https?://[^#]+$'
        and key_set_url ~ '^https?://[^#]+$'),
    constraint tool_redirect_uris    check (
        cardinality(redirect_uris) between 1 and 10 and array_position(redirect_uris, null) is null
        and array_to_string(redirect_uris, ' ') ~ '^(https?://[^\s#]+( |$))+$'),
    constraint tool_has_keys         check ((key_set_url is null) <> (key_set is null)),
    constraint tool_key_set_length   check (octet_length(key_set) <= 16384)
);
create index tool_location on tool (organization_id, location_id) where location_id is not null;

create table tool_launch (
    organization_id uuid           not null,
    launch_id       uuid           not null,
    tool_id         uuid           not null,
    person_id       uuid           not null,
    task_id         uuid,
    handout_id      uuid,
    digest          bytea          not null,
    expires_at      timestamptz(3) not null,
    used_at         timestamptz(3),
    answered_at     timestamptz(3),
    items           jsonb,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint tool_launch_pkey          primary key (organization_id, launch_id),
    constraint tool_launch_tool          foreign key (organization_id, tool_id) references tool,
    constraint tool_launch_person        foreign key (organization_id, person_id)
                                         references person on delete cascade,
    constraint tool_launch_task          foreign key (organization_id, task_id) references task on delete cascade,
    constraint tool_launch_handout       foreign key (organization_id, handout_id)
                                         references handout on delete cascade,
    constraint tool_launch_has_an_aim    check ((task_id is null) <> (handout_id is null)),
    constraint tool_launch_digest_length check (octet_length(digest) = 32),
    constraint tool_launch_items         check (items is null or jsonb_typeof(items) = 'array' and handout_id is not null)
);
create index tool_launch_digest  on tool_launch (organization_id, digest);
create index tool_launch_tool    on tool_launch (organization_id, tool_id);
create index tool_launch_person  on tool_launch (organization_id, person_id);
create index tool_launch_task    on tool_launch (organization_id, task_id);
create index tool_launch_handout on tool_launch (organization_id, handout_id);
create index tool_launch_end     on tool_launch (expires_at);

create table tool_token_id (
    organization_id uuid           not null,
    tool_id         uuid           not null,
    digest          bytea          not null,
    expires_at      timestamptz(3) not null,

    constraint tool_token_id_pkey          primary key (organization_id, tool_id, digest),
    constraint tool_token_id_tool          foreign key (organization_id, tool_id) references tool,
    constraint tool_token_id_digest_length check (octet_length(digest) = 32)
);
create index tool_token_id_end on tool_token_id (expires_at);

alter table access_token
    drop constraint access_token_standing,
    drop constraint access_token_service_is_nobody,
    drop constraint access_token_roster_readers_have_scopes,
    add column tool_id uuid,
    add constraint access_token_standing check (standing in ('provisioner', 'exporter', 'rosterReader',
        'directoryWriter', 'deviceManager', 'tool', 'app', 'system', 'administrator', 'siteManager', 'peopleManager',
        'contentManager', 'manager', 'teacher', 'staff', 'student')),
    add constraint access_token_service_is_nobody check (
        (person_id is null)
        = coalesce(standing in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter', 'deviceManager', 'tool'),
                   false)),
    add constraint access_token_roster_readers_and_tools_have_scopes check (
        scopes is null or coalesce(standing in ('rosterReader', 'tool'), false)),
    add constraint access_token_of_a_tool_stands_for_it check (tool_id is null or standing = 'tool'),
    add constraint access_token_tool foreign key (organization_id, tool_id) references tool;
create index access_token_tool on access_token (organization_id, tool_id) where tool_id is not null;

-- A column that is generated cannot change how, without the whole table being written anew while nobody can use it. So
-- it becomes one that a trigger fills (functions/handouts/tasks.sql): the rows that are there stay as they are.
alter table task
    alter column recorded_path drop expression,
    drop constraint task_kind,
    drop constraint task_of_an_app_names_it,
    drop constraint task_link_has_a_url,
    add column tool_id          uuid,
    add column custom           jsonb,
    add column score_maximum    double precision,
    add column tool_resource_id text,
    add column tool_tag         text,
    add constraint task_kind               check (kind in ('appActivity', 'wholeApp', 'timedApp', 'link', 'tool')),
    add constraint task_of_an_app_names_it check (
        (kind in ('appActivity', 'wholeApp', 'timedApp', 'tool')) = (bundle_id is not null)),
    add constraint task_of_a_tool_names_it check (
        (kind = 'tool') = (tool_id is not null) and (tool_id is null or bundle_id = 'tool:' || tool_id::text)),
    add constraint task_link_has_a_url     check ((kind = 'link') = (url is not null) or kind = 'tool'),
    add constraint task_custom             check (
        custom is null or kind = 'tool' and jsonb_typeof(custom) = 'object'),
    add constraint task_score_maximum      check (
        score_maximum is null or kind = 'tool' and score_maximum between 1e-9 and 1e12),
    add constraint task_has_a_tools_words  check (
        tool_resource_id is null and tool_tag is null
        or kind = 'tool' and char_length(tool_resource_id) between 1 and 256
           and char_length(tool_tag) between 1 and 256),
    add constraint task_tool               foreign key (organization_id, tool_id) references tool;
create index task_tool on task (organization_id, tool_id, class_id) where tool_id is not null;

alter table tool          enable row level security;
alter table tool_launch   enable row level security;
alter table tool_token_id enable row level security;

comment on table  tool is 'Another system in which students work on tasks, over LTI 1.3.';
comment on column tool.tool_id is 'Also the client id.';
comment on column tool.login_url is 'Where a launch begins: the third-party-initiated login of OpenID Connect.';
comment on column tool.redirect_uris is 'Where a browser may bring an ID token, letter by letter.';
comment on column tool.launch_url is 'What is opened where a task names nothing else.';
comment on column tool.deep_linking_url is 'What a teacher opens to choose content; null: the tool cannot.';
comment on column tool.key_set_url is 'Where the tool publishes its keys.';
comment on column tool.key_set is 'The keys themselves, as a JSON Web Key Set.';
comment on column tool.location_id is 'Whose classes may use it; null: all.';
comment on column tool.removed_at is 'Removed for good; kept because tasks and audit events name it.';
comment on table  tool_launch is 'That somebody opens a tool: for a task, or to choose content for a handout.';
comment on column tool_launch.digest is 'The SHA-256 of the secret that the tool hands back with the person''s browser.';
comment on column tool_launch.used_at is 'When the ID token was made: there is only one.';
comment on column tool_launch.answered_at is 'When the tool said what was chosen.';
comment on column tool_launch.items is 'What was chosen, until the teacher takes it.';
comment on table  tool_token_id is 'What a tool signed once, so that nobody sends it twice.';
comment on column tool_token_id.digest is 'The SHA-256 of the token''s jti or nonce.';
comment on column access_token.tool_id is 'The tool that holds it; null for a token of another standing.';
comment on column task.tool_id is 'Of a tool: which.';
comment on column task.custom is 'Of a tool: what it is told of the task, as it chose by deep linking.';
comment on column task.tool_resource_id is 'Of a tool: what the tool calls its resource; null: it has not said.';
comment on column task.tool_tag is 'Of a tool: a word of the tool, by which it finds its tasks.';
comment on column task.score_maximum is 'Of a tool: the greatest score, as it said; null: it has not.';
