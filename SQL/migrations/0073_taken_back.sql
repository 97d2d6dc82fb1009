-- A published handout can be taken back until a student begins it. Exports may hold it from before, also once it is
-- deleted as a draft.

alter table handout add column taken_back_at timestamptz(3);

comment on column handout.taken_back_at is
    'When its author last made it a draft again after it had been published; null: never.';
