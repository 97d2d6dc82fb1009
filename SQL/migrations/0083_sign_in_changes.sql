-- What others changed of a person's way to sign in: no longer passwords alone.

alter table password_reset rename to sign_in_change;
alter table sign_in_change rename column reset_id to change_id;
alter table sign_in_change rename column reset_at to changed_at;
alter table sign_in_change rename constraint password_reset_pkey to sign_in_change_pkey;
alter table sign_in_change rename constraint password_reset_person to sign_in_change_person;
alter index password_reset_person rename to sign_in_change_person;
alter index password_reset_by_person rename to sign_in_change_by_person;

alter table sign_in_change
    add column change text not null default 'password',
    add column by_sign_in_provider_id uuid,
    alter column standing drop not null,
    add constraint sign_in_change_is_known check (change in ('password', 'email', 'managedId', 'link')),
    add constraint sign_in_change_of_link_is_by_provider
        check ((change = 'link') = (standing is null) and (change = 'link') = (by_sign_in_provider_id is not null));
alter table sign_in_change alter column change drop default;

comment on table  sign_in_change is 'Somebody else changed a way to sign in; until the person confirms having seen it.';
comment on column sign_in_change.standing is
    'In which standing that was done; server: by the operator of the machine; null: by a sign-in provider.';
comment on column sign_in_change.by_sign_in_provider_id is
    'The sign-in provider that was linked. No key: what was changed stays true when the provider is removed.';
