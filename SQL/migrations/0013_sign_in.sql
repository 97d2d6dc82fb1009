-- Sign-in: browsers that hold a sign-in, and what a person sees of each of his or her sign-ins.
--
-- The token of a browser lives as long as the browser is used: each renewal gives it its idle time again. It has no
-- refresh token, since whatever keeps the one would keep the other beside it.

alter table organization
    add column shared_device_idle_minutes integer not null default 60,
    add constraint organization_shared_device_idle_minutes check (shared_device_idle_minutes between 5 and 720);

alter table credential
    add column last_sign_in_at timestamptz(3);

alter table session
    add column kind         text           not null default 'password',
    add column user_agent   text,
    add column address      text,
    add column idle_seconds integer,
    add column last_used_at timestamptz(3) not null default date_trunc('milliseconds', now());
update session set kind = case when app is null then 'password' else 'app' end, last_used_at = started_at;
alter table session
    add constraint session_kind                  check (kind in ('password', 'browser', 'app')),
    add constraint session_of_browser_has_a_time check ((kind = 'browser') = (idle_seconds is not null)),
    add constraint session_user_agent_length     check (char_length(user_agent) between 1 and 512);

comment on column organization.shared_device_idle_minutes is
    'After how long without use a student''s sign-in ends in a browser on a shared device.';
comment on column credential.last_sign_in_at is 'When the person last signed in with the password.';
comment on column session.kind is 'What holds it: a browser, an app, or whatever asked with the password.';
comment on column session.user_agent is 'What the browser calls itself.';
comment on column session.address is 'From where it was last begun, refreshed or renewed.';
comment on column session.idle_seconds is 'How long the token of a browser lives from each renewal on.';
comment on column session.last_used_at is 'When it was last begun, refreshed or renewed.';
