-- Handouts: when students had one who do not have it any more.

set local role school_owner;
set local search_path = school, pg_temp;

create table former_recipient (
    organization_id uuid           not null,
    handout_id      uuid           not null,
    person_id       uuid           not null,
    given_at        timestamptz(3) not null,
    taken_at        timestamptz(3) not null,

    constraint former_recipient_pkey    primary key (organization_id, handout_id, person_id, given_at),
    constraint former_recipient_handout foreign key (organization_id, handout_id) references handout,
    constraint former_recipient_person  foreign key (organization_id, person_id)
                                        references person on delete cascade,
    constraint former_recipient_had_it_for_a_time check (taken_at > given_at)
);
create index former_recipient_person on former_recipient (organization_id, person_id);

alter table former_recipient enable row level security;

comment on table former_recipient is 'A time during which a student was given a handout and that is over: what was done then is recorded, however late it comes.';
