-- Catalog: thumbnails and what became of their uploads, what the search looks through, and native contexts,
-- of which a person has one for each path.

set local role school_owner;
set local search_path = school, pg_temp;

alter table context add column search_text tsvector;
comment on column context.search_text is
    'Words of title, keywords and summary as search_text() makes them; null: never found (native contexts).';
-- What is there already: without the special letters that name_text() knows, until it is published again.
update context
   set search_text = setweight(to_tsvector('simple', lower(title)), 'A')
           || setweight(to_tsvector('simple', lower(array_to_string(keywords, ' '))), 'B')
           || setweight(to_tsvector('simple', lower(coalesce(summary, ''))), 'C')
 where kind = 'catalog';

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
-- Pictures do not become smaller by compressing them again.
alter table thumbnail alter column bytes set storage external;

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
alter table thumbnail_upload alter column bytes set storage external;
create index thumbnail_upload_team  on thumbnail_upload (organization_id, team_id, environment, thumbnail_id);
create index thumbnail_upload_waits on thumbnail_upload (created_at, status_id) where state = 'pending';
create index thumbnail_upload_ended on thumbnail_upload (finished_at) where state <> 'pending';

alter table thumbnail        enable row level security;
alter table thumbnail_upload enable row level security;

comment on table  thumbnail is 'The picture of the contexts of an app that name its id; gone with the last of them.';
comment on table  thumbnail_upload is 'A picture that a team sent, until it is read; then, for a day, what became of it.';
comment on column thumbnail_upload.status_id is 'Of GET /v1/status; the same in every organization that the call wrote to.';
