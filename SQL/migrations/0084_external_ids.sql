-- SCIM: what an identity provider calls a person, a class or a location (RFC 7643 section 3.1). It is the client's own
-- word, and says nothing to anybody else: an import finds people and classes by source_id, which SCIM no longer writes.

create table external_id (
    organization_id    uuid           not null,
    service_account_id uuid,
    person_id          uuid,
    class_id           uuid,
    location_id        uuid,
    value              text           not null,
    updated_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint external_id_is_one_for_each_client unique nulls not distinct
                                        (organization_id, service_account_id, person_id, class_id, location_id),
    constraint external_id_account      foreign key (organization_id, service_account_id) references service_account,
    constraint external_id_person       foreign key (organization_id, person_id) references person on delete cascade,
    constraint external_id_class        foreign key (organization_id, class_id) references class on delete cascade,
    constraint external_id_location     foreign key (organization_id, location_id)
                                        references location on delete cascade,
    constraint external_id_names_one    check (num_nonnulls(person_id, class_id, location_id) = 1),
    constraint external_id_has_a_value  check (value ~ '\S' and char_length(value) <= 255)
);
create index external_id_person   on external_id (organization_id, person_id) where person_id is not null;
create index external_id_class    on external_id (organization_id, class_id) where class_id is not null;
create index external_id_location on external_id (organization_id, location_id) where location_id is not null;
create index external_id_value    on external_id (organization_id, value);

alter table external_id enable row level security;
-- What changes or disappears while an organization moves is found by all its columns (0056_moved_rows.sql).
alter table external_id replica identity full;

comment on table external_id is
    'What a client of SCIM calls a record: its externalId. Several records may have the same.';
comment on column external_id.service_account_id is
    'Whose word it is; null: that of the clients with a token which the operator made.';

-- Until now externalId was source_id. Where no import brought the record, an identity provider may have written it, so
-- each keeps what it was shown as its own word. It stays the source id as well: a person or a script may have written
-- it, which cannot be told apart, and other systems know the record by it over OneRoster. Where an import brought the
-- record, and for locations, which say nothing of their origin, the id is that of the information system: a provider
-- that has a word of its own sends it again.
insert into external_id (organization_id, service_account_id, person_id, class_id, value)
select w.organization_id, w.service_account_id, r.person_id, r.class_id, r.source_id
  from (select organization_id, service_account_id
          from service_account where role = 'directoryWriter' and revoked_at is null
        union
        select organization_id, null
          from access_token where standing = 'directoryWriter' and service_account_id is null) as w
  join (select organization_id, person_id, null::uuid as class_id, source_id from person where origin = 'manual'
        union all
        select organization_id, null, class_id, source_id from class where origin = 'manual') as r
    on r.organization_id = w.organization_id
 where r.source_id ~ '\S' and char_length(r.source_id) <= 255;
