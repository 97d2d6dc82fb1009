-- Catalog: developer teams, the contexts that they publish, and their thumbnails.
--
-- An identifier path is stored without the bundle id it begins with: {} is the app itself.

-- Teams that the operator registers for every organization.
create table deployment_team (
    team_id    text           not null,
    name       text           not null,
    created_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint deployment_team_pkey       primary key (team_id),
    constraint deployment_team_has_a_name check (name ~ '\S' and char_length(name) <= 256)
);

create table deployment_key (
    team_id    text           not null,
    key_id     text           not null,
    public_key text           not null,
    created_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint deployment_key_pkey primary key (team_id, key_id),
    constraint deployment_key_team foreign key (team_id) references deployment_team on delete cascade
);

create table deployment_bundle (
    bundle_id  text           not null,
    team_id    text           not null,
    created_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint deployment_bundle_pkey primary key (bundle_id),
    constraint deployment_bundle_team foreign key (team_id) references deployment_team on delete cascade
);
create index deployment_bundle_team on deployment_bundle (team_id);

create table developer_team (
    organization_id uuid           not null,
    team_id         text           not null,
    name            text           not null,
    origin          text           not null default 'organization',
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint developer_team_pkey         primary key (organization_id, team_id),
    constraint developer_team_organization foreign key (organization_id) references organization,
    constraint developer_team_has_a_name   check (name ~ '\S' and char_length(name) <= 256),
    constraint developer_team_origin       check (origin in ('organization', 'deployment'))
);

create table developer_key (
    organization_id uuid           not null,
    team_id         text           not null,
    key_id          text           not null,
    public_key      text           not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint developer_key_pkey primary key (organization_id, team_id, key_id),
    constraint developer_key_team foreign key (organization_id, team_id)
                                  references developer_team on delete cascade
);
create index developer_key_anywhere on developer_key (team_id, key_id);

create table developer_bundle (
    organization_id uuid           not null,
    team_id         text           not null,
    bundle_id       text           not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint developer_bundle_pkey         primary key (organization_id, team_id, bundle_id),
    constraint developer_bundle_has_one_team unique (organization_id, bundle_id),
    constraint developer_bundle_team         foreign key (organization_id, team_id)
                                             references developer_team on delete cascade
);
create index developer_bundle_anywhere on developer_bundle (team_id, bundle_id);

create table context (
    organization_id                 uuid             not null,
    context_id                      uuid             not null,
    kind                            text             not null default 'catalog',
    environment                     text             not null,
    bundle_id                       text             not null,
    identifier_path                 text[]           not null,
    parent_path                     text[]           generated always as (
        case when cardinality(identifier_path) > 0
             then identifier_path[1:cardinality(identifier_path) - 1] end) stored,
    locale                          text             not null,
    person_id                       uuid,
    publisher_digest                bytea            default decode(nullif(
                                        current_setting('school.developer_key', true), ''), 'hex'),
    title                           text             not null,
    type                            text             not null,
    custom_type_name                text,
    display_order                   double precision not null default 0,
    is_assignable                   boolean          not null default true,
    progress_reporting_capabilities jsonb            not null
                                    default '[{"kind": "duration", "details": ""}]',
    suggested_age                   integer[],
    suggested_completion_time       integer[],
    summary                         text,
    thumbnail_id                    text,
    topic                           text,
    universal_link_url              text,
    minimum_bundle_version          text,
    keywords                        text[]           not null default '{}',
    presentable_locales             text[]           not null default '{}',
    presentable_paths               jsonb,
    standards_alignments            text[]           not null default '{}',
    search_text                     tsvector,
    saved_at                        timestamptz(3)   not null default date_trunc('milliseconds', now()),
    version                         bigint           not null default 1,
    created_at                      timestamptz(3)   not null default date_trunc('milliseconds', now()),
    updated_at                      timestamptz(3)   not null default date_trunc('milliseconds', now()),
    deleted_at                      timestamptz(3),

    constraint context_pkey                 primary key (organization_id, context_id),
    constraint context_organization         foreign key (organization_id) references organization,
    constraint context_person               foreign key (organization_id, person_id)
                                            references person on delete cascade,
    constraint context_kind                 check (kind in ('catalog', 'native')),
    constraint context_is_native_to_somebody check ((kind = 'native') = (person_id is not null)),
    constraint context_environment          check (environment in ('development', 'production')),
    constraint context_path_has_no_null     check (array_position(identifier_path, null) is null),
    constraint context_path_depth           check (cardinality(identifier_path) <= 7),
    constraint context_has_a_title          check (title ~ '\S' and char_length(title) <= 256),
    constraint context_summary_length       check (char_length(summary) <= 4000),
    constraint context_type                 check (type in ('app', 'audio', 'book', 'challenge', 'chapter',
        'course', 'custom', 'document', 'exercise', 'game', 'lesson', 'level', 'none', 'page', 'quiz', 'section',
        'task', 'video')),
    constraint context_topic                check (topic in ('artsAndMusic', 'computerScienceAndEngineering',
        'healthAndFitness', 'literacyAndWriting', 'math', 'science', 'socialScience', 'worldLanguage'))
);

-- Without statistics the planner takes the youngest of the indexes that look equally good to it. So those whose
-- first columns others have, too, are narrowed to the rows for which they are there, and the order matters.
create unique index context_path_is_unique
    on context (organization_id, environment, bundle_id, identifier_path, locale)
    where kind = 'catalog' and deleted_at is null;
create index context_path on context (organization_id, bundle_id, environment, identifier_path);
create index context_search on context using gin (search_text)
    where kind = 'catalog' and deleted_at is null;
create index context_app on context (organization_id, environment, bundle_id)
    where identifier_path = '{}' and kind = 'catalog' and deleted_at is null;
create unique index context_own_path_is_unique
    on context (organization_id, person_id, environment, bundle_id, identifier_path)
    where kind = 'native' and deleted_at is null;
create index context_also_under on context using gin (presentable_paths jsonb_path_ops)
    where presentable_paths is not null and deleted_at is null;
create index context_thumbnail on context (organization_id, environment, bundle_id, thumbnail_id)
    where thumbnail_id is not null and deleted_at is null;
create index context_person on context (organization_id, person_id) where person_id is not null;
create index context_parent on context (organization_id, bundle_id, environment, parent_path)
    where parent_path is not null and deleted_at is null;
-- What is published is found without walking through what apps saved for everybody, and the other way round.
create index context_published on context (organization_id, bundle_id, environment, identifier_path)
    where kind = 'catalog';
create index context_published_children on context (organization_id, bundle_id, environment, parent_path)
    where kind = 'catalog' and deleted_at is null;
create index context_own on context (organization_id, person_id, environment, bundle_id, identifier_path)
    where kind = 'native';
create index context_own_children on context (organization_id, person_id, environment, bundle_id, parent_path)
    where kind = 'native' and deleted_at is null;
create index context_saved on context (saved_at) where kind = 'native';

create table thumbnail (
    organization_id uuid           not null,
    environment     text           not null,
    bundle_id       text           not null,
    thumbnail_id    text           not null,
    media_type      text           not null,
    bytes           bytea          not null,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint thumbnail_pkey         primary key (organization_id, environment, bundle_id, thumbnail_id),
    constraint thumbnail_organization foreign key (organization_id) references organization,
    constraint thumbnail_environment  check (environment in ('development', 'production')),
    constraint thumbnail_media_type   check (media_type in ('image/png', 'image/jpeg'))
);

create table thumbnail_upload (
    organization_id uuid           not null,
    status_id       text           not null,
    team_id         text           not null,
    environment     text           not null,
    thumbnail_id    text           not null,
    state           text           not null default 'pending',
    bytes           bytea,
    error_code      text,
    error_message   text,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    finished_at     timestamptz(3),

    constraint thumbnail_upload_pkey        primary key (organization_id, status_id),
    constraint thumbnail_upload_team        foreign key (organization_id, team_id)
                                            references developer_team on delete cascade,
    constraint thumbnail_upload_environment check (environment in ('development', 'production')),
    constraint thumbnail_upload_state       check (state in ('pending', 'complete', 'error')),
    constraint thumbnail_upload_waits_with_its_bytes check ((state = 'pending') = (bytes is not null)),
    constraint thumbnail_upload_ends        check ((state = 'pending') = (finished_at is null)),
    constraint thumbnail_upload_says_why_it_failed check (
        (state = 'error') = (error_code is not null) and (error_code is null) = (error_message is null))
);
create index thumbnail_upload_team  on thumbnail_upload (organization_id, team_id, environment, thumbnail_id);
create index thumbnail_upload_waits on thumbnail_upload (created_at, status_id) where state = 'pending';
create index thumbnail_upload_ended on thumbnail_upload (finished_at) where state <> 'pending';

-- Pictures do not become smaller by compressing them again.
alter table thumbnail        alter column bytes set storage external;
alter table thumbnail_upload alter column bytes set storage external;

alter table deployment_team   enable row level security;
alter table deployment_key    enable row level security;
alter table deployment_bundle enable row level security;
alter table developer_team    enable row level security;
alter table developer_key     enable row level security;
alter table developer_bundle  enable row level security;
alter table context           enable row level security;
alter table thumbnail         enable row level security;
alter table thumbnail_upload  enable row level security;

comment on table  deployment_team is 'A team of developers that the operator registered for every organization.';
comment on table  deployment_key is 'A public key of such a team: PEM, P-256.';
comment on table  deployment_bundle is 'A bundle id whose contexts such a team may publish.';

comment on table  developer_team is 'A team of developers that the organization registered.';
comment on column developer_team.origin is
    'Who registered it: an administrator, or the operator for the whole deployment.';
comment on table  developer_key is 'A public key that verifies tokens of the team: PEM, P-256.';
comment on table  developer_bundle is 'A bundle id whose contexts the team may publish.';

comment on table  context is 'A node of an app''s content tree, one row per locale.';
comment on column context.identifier_path is 'Without the bundle id; {} is the app itself.';
comment on column context.parent_path is 'The path without its last element; null for the app itself.';
comment on column context.locale is 'In lower case, with hyphens.';
comment on column context.person_id is 'Whose native context it is; null for the catalog.';
comment on column context.publisher_digest is
    'SHA-256 of the public key under which it was published, as it is registered; null: native. An organization that '
    'registers the key takes over what was published with it before.';
comment on column context.suggested_age is 'Years, {lower,upper}, both inclusive; 0 as lower: no bound.';
comment on column context.suggested_completion_time is 'Minutes, {lower,upper}, as suggested_age.';
comment on column context.search_text is 'Words of title, keywords and summary as search_text() makes them.';
comment on column context.saved_at is 'When an app last saved it, also unchanged (native contexts).';
comment on column context.deleted_at is 'From then on nothing new is recorded for it.';

comment on table  thumbnail is 'The picture of the contexts of an app that name its id; gone with the last of them.';
comment on table  thumbnail_upload is
    'A picture that a team sent, until it is read; then, for a day, what became of it.';
comment on column thumbnail_upload.status_id is
    'Of GET /v1/status; the same in every organization that the call wrote to.';
