-- Catalog: developer teams, and the contexts that they publish.
--
-- An identifier path is stored without the bundle id it begins with: {} is the app itself.

set local role school_owner;
set local search_path = school, pg_temp;

create table developer_team (
    organization_id uuid           not null,
    team_id         text           not null,
    name            text           not null,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint developer_team_pkey         primary key (organization_id, team_id),
    constraint developer_team_organization foreign key (organization_id) references organization,
    constraint developer_team_has_a_name   check (name ~ '\S' and char_length(name) <= 256)
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

    constraint developer_bundle_pkey          primary key (organization_id, team_id, bundle_id),
    constraint developer_bundle_has_one_team  unique (organization_id, bundle_id),
    constraint developer_bundle_team          foreign key (organization_id, team_id)
                                              references developer_team on delete cascade
);

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
    constraint context_type                 check (type in ('app', 'audio', 'book', 'challenge',
        'chapter', 'course', 'custom', 'document', 'exercise', 'game', 'lesson', 'level', 'none',
        'page', 'quiz', 'section', 'task', 'video')),
    constraint context_topic                check (topic in ('artsAndMusic',
        'computerScienceAndEngineering', 'healthAndFitness', 'literacyAndWriting', 'math',
        'science', 'socialScience', 'worldLanguage'))
);
create unique index context_path_is_unique
    on context (organization_id, environment, bundle_id, identifier_path, locale)
    where kind = 'catalog' and deleted_at is null;
create index context_path   on context (organization_id, bundle_id, environment, identifier_path);
create index context_parent on context (organization_id, bundle_id, environment, parent_path)
    where deleted_at is null;
create index context_person on context (organization_id, person_id);

alter table developer_team   enable row level security;
alter table developer_key    enable row level security;
alter table developer_bundle enable row level security;
alter table context          enable row level security;

comment on table  developer_team   is 'A team of developers that the organization registered.';
comment on table  developer_key    is 'A public key that verifies tokens of the team: PEM, P-256.';
comment on table  developer_bundle is 'A bundle id whose contexts the team may publish.';
comment on table  context          is 'A node of an app''s content tree, one row per locale.';
comment on column context.identifier_path is 'Without the bundle id; {} is the app itself.';
comment on column context.parent_path is 'The path without its last element; null for the app itself.';
comment on column context.locale      is 'In lower case, with hyphens.';
comment on column context.person_id   is 'Whose native context it is; null for the catalog.';
comment on column context.suggested_age is 'Years, {lower,upper}, both inclusive; 0 as lower: no bound.';
comment on column context.suggested_completion_time is 'Minutes, {lower,upper}, as suggested_age.';
comment on column context.deleted_at  is 'From then on nothing new is recorded for it.';
