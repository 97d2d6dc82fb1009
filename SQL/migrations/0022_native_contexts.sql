-- Native contexts: what changed since an app last looked, and their pictures.
--
-- An app keeps a copy of the contexts that it sees, and asks for what changed. Each change has a number that grows in
-- the order of commits within the catalog of an app, and within what an app saved for a person. Contexts that exist
-- already are numbered as they come.

create sequence numbering;
alter table context add column change bigint not null default nextval('numbering');
alter table context alter column change drop default;
drop sequence numbering;

create unique index context_published_change on context (organization_id, bundle_id, environment, change)
    where kind = 'catalog';
create unique index context_own_change on context (organization_id, person_id, environment, bundle_id, change)
    where kind = 'native';

create table removed_context (
    organization_id uuid           not null,
    person_id       uuid           not null,
    environment     text           not null,
    bundle_id       text           not null,
    identifier_path text[]         not null,
    change          bigint         not null,
    removed_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint removed_context_pkey        primary key (organization_id, person_id, environment, bundle_id,
                                                        identifier_path),
    constraint removed_context_person      foreign key (organization_id, person_id)
                                           references person on delete cascade,
    constraint removed_context_environment check (environment in ('development', 'production'))
);
create unique index removed_context_change
    on removed_context (organization_id, person_id, environment, bundle_id, change);
create index removed_context_age on removed_context (removed_at);

create table native_thumbnail (
    organization_id uuid           not null,
    context_id      uuid           not null,
    media_type      text,
    bytes           bytea,
    sent_bytes      bytea,
    sent_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint native_thumbnail_pkey        primary key (organization_id, context_id),
    constraint native_thumbnail_context     foreign key (organization_id, context_id)
                                            references context on delete cascade,
    constraint native_thumbnail_media_type  check (media_type in ('image/png', 'image/jpeg')),
    constraint native_thumbnail_is_a_picture check (
        (media_type is null) = (bytes is null) and num_nonnulls(bytes, sent_bytes) > 0)
);
create index native_thumbnail_waits on native_thumbnail (sent_at, context_id) where sent_bytes is not null;

-- Pictures do not become smaller by compressing them again.
alter table native_thumbnail alter column bytes      set storage external;
alter table native_thumbnail alter column sent_bytes set storage external;

alter table removed_context  enable row level security;
alter table native_thumbnail enable row level security;

comment on column context.change is
    'The number of its last change: it grows in the order of commits within the catalog of the app, and within what '
    'the app saved for the person.';
comment on column context.thumbnail_id is
    'Of the catalog: which picture of the app it shows. Native: made anew with each picture of its own.';
comment on table  removed_context is 'A path at which a native context was deleted, for thirty days.';
comment on column removed_context.change is 'As context.change.';
comment on table  native_thumbnail is 'The picture of a native context.';
comment on column native_thumbnail.sent_bytes is 'As the app sent it; null once it was read.';
