-- Signing out on a shared computer: where a connected system may bring a browser back to afterwards, and with which
-- sign-in a person allowed the system.

alter table connected_system
    add column post_logout_redirect_uris text[] not null default '{}',
    add constraint connected_system_post_logout_redirect_uris check (
        cardinality(post_logout_redirect_uris) <= 10 and array_position(post_logout_redirect_uris, null) is null
        and (cardinality(post_logout_redirect_uris) = 0 or array_to_string(post_logout_redirect_uris, ' ')
            ~ '^((https://[^\s/?#@]+|http://(127\.0\.0\.1|\[::1\])(:[0-9]+)?)([/?][^\s#]*)?( |$))+$'));

alter table session
    add column by_session_id uuid,
    add constraint session_by_another_is_a_systems check (by_session_id is null or connected_system_id is not null);

comment on column connected_system.post_logout_redirect_uris is
    'Where a browser may go after signing out, letter by letter.';
comment on column session.by_session_id is
    'Of a system: the sign-in with which the person allowed it; no key, it may be gone.';
