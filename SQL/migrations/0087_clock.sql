-- The clock: what upkeep knows of the database's clock, so that a wrong one removes nothing.
--
-- Each run of a server's upkeep looks at the clock (functions/operation/clock.sql). Servers measure the time between
-- two looks with a clock of their own that never jumps. So the sum says how long they have run, whatever the database's
-- clock says meanwhile.

create table clock (
    is_only              boolean        not null default true,
    looked_at            timestamptz(3) not null,
    running_milliseconds bigint         not null default 0,
    jumped_from          timestamptz(3),
    jumped_to            timestamptz(3),
    jumped_milliseconds  bigint,

    constraint clock_pkey           primary key (is_only),
    constraint clock_is_only        check (is_only),
    constraint clock_jump_is_whole  check (num_nulls(jumped_from, jumped_to, jumped_milliseconds) in (0, 3))
);

create table clock_look (
    running_milliseconds bigint         not null,
    looked_at            timestamptz(3) not null,

    constraint clock_look_pkey primary key (running_milliseconds)
);

alter table clock      enable row level security;
alter table clock_look enable row level security;

comment on table  clock is 'What upkeep knows of the database''s clock; one row, once a server has looked.';
comment on column clock.looked_at is 'What the clock said at the last look.';
comment on column clock.running_milliseconds is 'How long servers have run in all, between looks.';
comment on column clock.jumped_from is 'What the clock said last before it jumped; null if it is trusted.';
comment on column clock.jumped_to is 'What it said at the first look after its last jump.';
comment on column clock.jumped_milliseconds is 'The time that servers had run by then.';
comment on table  clock_look is 'What the clock said when servers had run for so long, since it last jumped.';
