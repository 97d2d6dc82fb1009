-- Where and for what a password counts.
--
-- Whether apps may sign people in with their passwords. Off at first: an app that sees a password may keep it, and a
-- student's own script that signs in as an app can report any progress.
--
-- Whether people sign in from the server's own machine alone: those of the demonstration school do, whose passwords are
-- printed in every copy, unless the operator lets others in.

alter table organization
    add column allows_passwords_in_apps boolean not null default false,
    add column is_local                 boolean not null default false;

update organization set is_local = true where organization_id = '0163ae2c-1000-7000-8000-000000000001';

comment on column organization.allows_passwords_in_apps is
    'Whether POST /v1/sign-in gives apps tokens of the production environment. OAuth does in any case.';
comment on column organization.is_local is 'Whether passwords count from loopback addresses alone.';
