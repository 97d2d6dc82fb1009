-- The directory of clients: whose a client id is, before anybody is signed in. With it every key of a table of a school
-- begins with the school.

create table client_directory (
    organization_id uuid not null,
    client_id       uuid not null,

    constraint client_directory_pkey         primary key (client_id),
    constraint client_directory_entry        unique (organization_id, client_id),
    constraint client_directory_organization foreign key (organization_id) references organization
);
alter table client_directory enable row level security;
comment on table client_directory is
    'Whose a service account, a connected system or a sign-in provider is, over the whole deployment.';

insert into client_directory (organization_id, client_id)
select organization_id, service_account_id from service_account
union all
select organization_id, connected_system_id from connected_system
union all
select organization_id, sign_in_provider_id from sign_in_provider;

drop index service_account_client, connected_system_client, sign_in_provider_id;
alter table service_account
    add constraint service_account_client foreign key (organization_id, service_account_id)
                                          references client_directory (organization_id, client_id);
alter table connected_system
    add constraint connected_system_client foreign key (organization_id, connected_system_id)
                                           references client_directory (organization_id, client_id);
alter table sign_in_provider
    add constraint sign_in_provider_client foreign key (organization_id, sign_in_provider_id)
                                           references client_directory (organization_id, client_id);
