-- Badges: a code on a card signs a small child in without a password, where a school allows it.
--
-- The secret on the card has 256 random bits, so that one round of SHA-256 is enough. A badge is of one student in one
-- class. When and from where badges work, the school says for all of them.

create table badge_rule (
    organization_id uuid       not null,
    is_on           boolean    not null default false,
    networks        cidr[]     not null default '{}',
    days            smallint[] not null default '{1,2,3,4,5}',
    begins_at       time       not null default '07:00',
    ends_at         time       not null default '17:00',

    constraint badge_rule_pkey              primary key (organization_id),
    constraint badge_rule_organization      foreign key (organization_id) references organization,
    constraint badge_rule_networks_count    check (cardinality(networks) <= 50),
    constraint badge_rule_has_days          check (cardinality(days) between 1 and 7
                                                   and days <@ '{1,2,3,4,5,6,7}'::smallint[]),
    constraint badge_rule_begins_before_end check (begins_at < ends_at)
);

create table badge (
    organization_id uuid           not null,
    badge_id        uuid           not null,
    class_id        uuid           not null,
    person_id       uuid           not null,
    digest          bytea          not null,
    created_at      timestamptz(3) not null,
    last_used_at    timestamptz(3),
    voided_at       timestamptz(3),

    constraint badge_pkey          primary key (organization_id, badge_id),
    constraint badge_digest_is_one unique (organization_id, digest),
    constraint badge_class         foreign key (organization_id, class_id)  references class  on delete cascade,
    constraint badge_person        foreign key (organization_id, person_id) references person on delete cascade,
    constraint badge_digest_length check (octet_length(digest) = 32)
);
create index        badge_digest      on badge (digest);
create unique index badge_in_use      on badge (organization_id, class_id, person_id) where voided_at is null;
create index        badge_class_ever  on badge (organization_id, class_id);
create index        badge_person_ever on badge (organization_id, person_id);
create index        badge_void        on badge (voided_at) where voided_at is not null;

alter table badge_rule enable row level security;
alter table badge      enable row level security;

alter table session
    add column badge_id uuid,
    add column ends_at  timestamptz(3);
create index session_badge on session (organization_id, badge_id) where badge_id is not null and ended_at is null;

alter table sign_in_change
    drop constraint sign_in_change_is_known,
    add constraint sign_in_change_is_known check (change in ('password', 'email', 'managedId', 'link', 'badge'));

comment on table  badge_rule is 'Whether, when and from where badges sign in; without a row they do not.';
comment on column badge_rule.networks  is 'From which networks badges sign in; none: from everywhere.';
comment on column badge_rule.days      is 'The days of the week, from 1 for Monday to 7 for Sunday.';
comment on column badge_rule.begins_at is 'From when on those days, in the time zone of the organization.';
comment on column badge_rule.ends_at   is 'Until when, and when the sign-ins of the day end.';
comment on table  badge is 'The SHA-256 of a secret on a card, which signs in one student of one class.';
comment on column badge.last_used_at is 'When it last signed in.';
comment on column badge.voided_at is 'From when on it signs nobody in.';
comment on column session.badge_id is 'The badge that began it; no key, it outlives the badge.';
comment on column session.ends_at is 'When it ends however it is used; null: thirty days after its beginning.';
