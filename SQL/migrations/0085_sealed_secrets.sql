-- Secrets of sign-in providers and webhooks, sealed with a key that is not in the database, as those of roster sources
-- are. What was stored before is sealed by the server, which has the key, when it starts; until then a row has its
-- secret as it is.

alter table sign_in_provider
    alter column client_secret drop not null,
    add column sealed_secret bytea,
    add column key_id        text,
    add constraint sign_in_provider_has_one_secret   check ((client_secret is null) <> (sealed_secret is null)),
    add constraint sign_in_provider_secret_is_sealed check (octet_length(sealed_secret) between 29 and 5000),
    add constraint sign_in_provider_key_id           check ((key_id is null) = (sealed_secret is null)
                                                            and char_length(key_id) between 1 and 64);

alter table webhook
    alter column secret drop not null,
    add column sealed_secret        bytea,
    add column key_id               text,
    add column sealed_former_secret bytea,
    add column former_key_id        text,
    add constraint webhook_has_one_secret   check ((secret is null) <> (sealed_secret is null)),
    add constraint webhook_secret_is_sealed check (octet_length(sealed_secret) between 29 and 200
                                                   and octet_length(sealed_former_secret) between 29 and 200),
    add constraint webhook_key_id           check ((key_id is null) = (sealed_secret is null)
                                                   and char_length(key_id) between 1 and 64),
    add constraint webhook_former_key_id    check ((former_key_id is null) = (sealed_former_secret is null)
                                                   and char_length(former_key_id) between 1 and 64),
    drop constraint webhook_former_secret,
    add constraint webhook_former_secret    check (
        (former_until is null) = (former_secret is null and sealed_former_secret is null)
        and (former_secret is null or sealed_former_secret is null));

comment on column sign_in_provider.client_secret is 'As an earlier version stored it, until a server seals it.';
comment on column sign_in_provider.sealed_secret is
    'The client secret under AES-256-GCM, bound to this organization, provider and issuer. No role reads it; '
    'find_sign_in_provider() hands it to the server.';
comment on column sign_in_provider.key_id is
    'With which key the secret is sealed: a digest of it. The key is in a file.';
comment on column webhook.secret is 'As an earlier version stored it, until a server seals it.';
comment on column webhook.former_secret is 'As an earlier version stored it, until a server seals it.';
comment on column webhook.sealed_secret is
    'What deliveries are signed with, under AES-256-GCM, bound to this organization and webhook. No role reads it; '
    'claim_webhook_calls() hands it to the server.';
comment on column webhook.key_id is 'With which key the secret is sealed: a digest of it. The key is in a file.';
comment on column webhook.sealed_former_secret is 'Signs beside the new one until former_until.';
comment on column webhook.former_key_id is 'With which key the former secret is sealed.';
