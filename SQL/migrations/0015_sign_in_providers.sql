-- Sign-in providers: other systems that vouch for people, such as Google, Microsoft or an OpenID Connect issuer of
-- the school's own. They sign in people who are here already, and never make any.

create table sign_in_provider (
    organization_id     uuid           not null,
    sign_in_provider_id uuid           not null,
    kind                text           not null,
    name                text           not null,
    issuer              text           not null,
    tenant              text,
    client_id           text           not null,
    client_secret       text           not null,
    matching            text           not null,
    email_domains       text[]         not null,
    version             bigint         not null default 1,
    created_at          timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at          timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint sign_in_provider_pkey          primary key (organization_id, sign_in_provider_id),
    constraint sign_in_provider_organization  foreign key (organization_id) references organization,
    constraint sign_in_provider_kind          check (kind in ('google', 'microsoft', 'other')),
    constraint sign_in_provider_has_a_name    check (name ~ '\S' and char_length(name) <= 100),
    constraint sign_in_provider_issuer        check (issuer ~ '^https?://[^?#]+$' and char_length(issuer) <= 1000),
    constraint sign_in_provider_tenant        check ((kind = 'microsoft') = (tenant is not null)),
    constraint sign_in_provider_client_id     check (char_length(client_id) between 1 and 255),
    constraint sign_in_provider_client_secret check (char_length(client_secret) between 1 and 1000),
    constraint sign_in_provider_matching      check (matching in ('managedId', 'email')),
    constraint sign_in_provider_email_domains check (cardinality(email_domains) <= 50)
);
create unique index sign_in_provider_id on sign_in_provider (sign_in_provider_id);

create table sign_in_link (
    organization_id     uuid           not null,
    sign_in_provider_id uuid           not null,
    subject             text           not null,
    person_id           uuid           not null,
    linked_at           timestamptz(3) not null default date_trunc('milliseconds', now()),
    last_sign_in_at     timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint sign_in_link_pkey               primary key (organization_id, sign_in_provider_id, subject),
    constraint sign_in_link_is_one_of_a_person unique (organization_id, sign_in_provider_id, person_id),
    constraint sign_in_link_provider           foreign key (organization_id, sign_in_provider_id)
                                               references sign_in_provider on delete cascade,
    constraint sign_in_link_person             foreign key (organization_id, person_id)
                                               references person on delete cascade,
    constraint sign_in_link_subject_length     check (char_length(subject) between 1 and 255)
);
create index sign_in_link_person on sign_in_link (organization_id, person_id);
create index person_email on person (organization_id, lower(email)) where email is not null;

alter table sign_in_provider enable row level security;
alter table sign_in_link     enable row level security;

comment on table  sign_in_provider is 'Another system with which people sign in instead of with a password.';
comment on column sign_in_provider.client_secret is
    'What proves to the provider who asks. No role reads it; find_sign_in_provider() hands it to the server.';
comment on column sign_in_provider.tenant is 'At Microsoft: the directory of the school, without which anyone''s would do.';
comment on column sign_in_provider.matching is 'What an account''s verified address must be of a person.';
comment on column sign_in_provider.email_domains is 'In which domains addresses must be; none: those of the organization.';
comment on table  sign_in_link is
    'Which account at a sign-in provider is whose, as the first sign-in showed: an address may go to another person later.';
comment on column credential.last_sign_in_at is 'When the person last signed in, if there was a password by then.';
