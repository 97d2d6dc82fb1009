-- Connected systems as their libraries are: they verify RS256, some send no code challenge, and many know people by
-- their addresses. Systems that are there keep ES256, which they were told to verify.

alter table signing_key
    drop constraint signing_key_purpose,
    add constraint signing_key_purpose check (purpose in ('idTokens', 'idTokensRS256', 'toolMessages'));

-- The default is what servers sign that do not know the column.
alter table connected_system
    drop constraint connected_system_scopes,
    add column id_token_signed_response_alg text    not null default 'ES256',
    add column requires_pkce                boolean not null default true,
    add constraint connected_system_scopes check (scopes <@ array['profile', 'email', 'roles', 'classes']),
    add constraint connected_system_signature_is_known check (id_token_signed_response_alg in ('RS256', 'ES256'));

alter table authorization_code
    alter column challenge drop not null,
    add constraint authorization_code_of_an_app_has_a_challenge check (
        challenge is not null or connected_system_id is not null);

comment on column signing_key.purpose is
    'What it signs, and nothing else: ID tokens with ES256 or with RS256, or messages to tools.';
comment on column connected_system.id_token_signed_response_alg is 'How its ID tokens are signed.';
comment on column connected_system.requires_pkce is 'Whether it has to send a code challenge, beside its secret.';
