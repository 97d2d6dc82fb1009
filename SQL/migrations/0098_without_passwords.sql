-- Schools whose people use no passwords here.
--
-- They sign in with a provider. What passwords people have stays, and does not count; administrators' count all the same.

alter table organization add column is_without_passwords boolean not null default false;

comment on column organization.is_without_passwords is
    'Whether passwords count for administrators alone, since everybody else signs in with a provider.';
