-- Who made a change: for whoever saves a form over it and wants to know whose it was.

alter table change add column changed_by uuid;

comment on column change.changed_by is
    'The person who made the change; null: a system, the operator, or somebody who was erased.';
