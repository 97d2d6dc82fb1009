-- The gradebook of OneRoster: what other systems of the school graded, and which of them may read what was done here.
--
-- Each service account has its own names (source_id) for what it stores. What it removes stays as a tombstone, for
-- clients that ask what changed.

create table gradebook_grant (
    organization_id    uuid           not null,
    service_account_id uuid           not null,
    location_id        uuid,
    class_id           uuid,
    reads_results      boolean        not null,
    granted_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint gradebook_grant_is_made_once unique nulls not distinct
                                            (organization_id, service_account_id, location_id, class_id),
    constraint gradebook_grant_account      foreign key (organization_id, service_account_id)
                                            references service_account,
    constraint gradebook_grant_location     foreign key (organization_id, location_id)
                                            references location on delete cascade,
    constraint gradebook_grant_class        foreign key (organization_id, class_id) references class on delete cascade,
    constraint gradebook_grant_is_for_a_location_or_a_class check (location_id is null or class_id is null)
);
create index gradebook_grant_location on gradebook_grant (organization_id, location_id) where location_id is not null;
create index gradebook_grant_class    on gradebook_grant (organization_id, class_id) where class_id is not null;

create table gradebook_category (
    organization_id        uuid           not null,
    gradebook_category_id  uuid           not null,
    service_account_id     uuid           not null,
    source_id              text,
    title                  text           not null,
    weight                 double precision,
    more                   jsonb,
    deleted_at             timestamptz(3),
    updated_at             timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint gradebook_category_pkey          primary key (organization_id, gradebook_category_id),
    constraint gradebook_category_of_account    unique (organization_id, service_account_id, source_id),
    constraint gradebook_category_account       foreign key (organization_id, service_account_id)
                                                references service_account,
    constraint gradebook_category_source_length check (char_length(source_id) between 1 and 255),
    constraint gradebook_category_has_a_title   check (title ~ '\S' and char_length(title) <= 512),
    constraint gradebook_category_more_length   check (octet_length(more::text) <= 16384)
);

create table gradebook_scale (
    organization_id     uuid           not null,
    gradebook_scale_id  uuid           not null,
    service_account_id  uuid           not null,
    source_id           text,
    class_id            uuid           not null,
    title               text           not null,
    kind                text           not null,
    entries             jsonb          not null,
    more                jsonb,
    deleted_at          timestamptz(3),
    updated_at          timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint gradebook_scale_pkey          primary key (organization_id, gradebook_scale_id),
    constraint gradebook_scale_of_account    unique (organization_id, service_account_id, source_id),
    constraint gradebook_scale_account       foreign key (organization_id, service_account_id)
                                             references service_account,
    constraint gradebook_scale_class         foreign key (organization_id, class_id) references class on delete cascade,
    constraint gradebook_scale_source_length check (char_length(source_id) between 1 and 255),
    constraint gradebook_scale_has_a_title   check (title ~ '\S' and char_length(title) <= 512),
    constraint gradebook_scale_kind_length   check (char_length(kind) between 1 and 256),
    constraint gradebook_scale_entries_are_a_list check (
        jsonb_typeof(entries) = 'array' and octet_length(entries::text) <= 65536),
    constraint gradebook_scale_more_length   check (octet_length(more::text) <= 16384)
);
create index gradebook_scale_class on gradebook_scale (organization_id, class_id);

create table gradebook_item (
    organization_id        uuid           not null,
    gradebook_item_id      uuid           not null,
    service_account_id     uuid           not null,
    source_id              text,
    class_id               uuid           not null,
    gradebook_category_id  uuid,
    gradebook_scale_id     uuid,
    term_id                uuid,
    title                  text           not null,
    description            text,
    assigned_at            timestamptz(3) not null,
    due_at                 timestamptz(3) not null,
    value_min              double precision,
    value_max              double precision,
    more                   jsonb,
    deleted_at             timestamptz(3),
    version                bigint         not null default 1,
    created_at             timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at             timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint gradebook_item_pkey               primary key (organization_id, gradebook_item_id),
    constraint gradebook_item_of_account         unique (organization_id, service_account_id, source_id),
    constraint gradebook_item_of_class           unique (organization_id, gradebook_item_id, class_id),
    constraint gradebook_item_account            foreign key (organization_id, service_account_id)
                                                 references service_account,
    constraint gradebook_item_class              foreign key (organization_id, class_id)
                                                 references class on delete cascade,
    constraint gradebook_item_category           foreign key (organization_id, gradebook_category_id)
                                                 references gradebook_category,
    constraint gradebook_item_scale              foreign key (organization_id, gradebook_scale_id)
                                                 references gradebook_scale,
    constraint gradebook_item_source_length      check (char_length(source_id) between 1 and 255),
    constraint gradebook_item_has_a_title        check (title ~ '\S' and char_length(title) <= 512),
    constraint gradebook_item_description_length check (char_length(description) <= 20000),
    constraint gradebook_item_more_length        check (octet_length(more::text) <= 16384)
);
create index gradebook_item_class    on gradebook_item (organization_id, class_id);
create index gradebook_item_category on gradebook_item (organization_id, gradebook_category_id)
    where gradebook_category_id is not null;
create index gradebook_item_scale    on gradebook_item (organization_id, gradebook_scale_id)
    where gradebook_scale_id is not null;

create table grade (
    organization_id    uuid           not null,
    grade_id           uuid           not null,
    service_account_id uuid           not null,
    source_id          text,
    gradebook_item_id  uuid           not null,
    class_id           uuid           not null,
    person_id          uuid           not null,
    gradebook_scale_id uuid,
    status             text           not null,
    score              double precision,
    text_score         text,
    scored_on          date           not null,
    comment            text,
    is_in_progress     boolean,
    is_incomplete      boolean,
    is_late            boolean,
    is_missing         boolean,
    more               jsonb,
    deleted_at         timestamptz(3),
    version            bigint         not null default 1,
    created_at         timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint grade_pkey              primary key (organization_id, grade_id),
    constraint grade_of_account        unique (organization_id, service_account_id, source_id),
    constraint grade_account           foreign key (organization_id, service_account_id) references service_account,
    constraint grade_item              foreign key (organization_id, gradebook_item_id, class_id)
                                       references gradebook_item (organization_id, gradebook_item_id, class_id)
                                       on delete cascade,
    constraint grade_person            foreign key (organization_id, person_id) references person on delete cascade,
    constraint grade_scale             foreign key (organization_id, gradebook_scale_id) references gradebook_scale,
    constraint grade_source_length     check (char_length(source_id) between 1 and 255),
    constraint grade_status            check (
        status in ('exempt', 'fully graded', 'not submitted', 'partially graded', 'submitted')
        or status like 'ext:_%' and char_length(status) <= 256),
    constraint grade_text_score_length check (char_length(text_score) <= 256),
    constraint grade_comment_length    check (char_length(comment) <= 10000),
    constraint grade_more_length       check (octet_length(more::text) <= 16384)
);
create index grade_item   on grade (organization_id, gradebook_item_id, class_id);
create index grade_class  on grade (organization_id, class_id);
create index grade_person on grade (organization_id, person_id);
create index grade_scale  on grade (organization_id, gradebook_scale_id) where gradebook_scale_id is not null;

alter table gradebook_grant    enable row level security;
alter table gradebook_category enable row level security;
alter table gradebook_scale    enable row level security;
alter table gradebook_item     enable row level security;
alter table grade              enable row level security;

comment on table  gradebook_grant is 'That a service account uses the gradebook of a class, or of those of a location.';
comment on column gradebook_grant.location_id is 'Null, as class_id is: all classes of the organization.';
comment on column gradebook_grant.reads_results is
    'Whether it also reads what the handouts of the classes came to, and the grades of other systems.';
comment on table  gradebook_category is 'A kind of graded work, as another system names it.';
comment on table  gradebook_scale is 'What the marks of another system mean.';
comment on column gradebook_scale.entries is 'As OneRoster has them: [{itemValueLHS, itemValueRHS}].';
comment on table  gradebook_item is 'Work that another system grades; OneRoster calls it a line item.';
comment on column gradebook_item.term_id is 'Its academic session, which may be gone since.';
comment on column gradebook_item.more is 'What OneRoster has beyond the columns: metadata, learningObjectiveSet.';
comment on table  grade is 'What another system says of a student''s work; OneRoster calls it a result.';
comment on column grade.class_id is 'The class of its item, repeated for the policies.';
