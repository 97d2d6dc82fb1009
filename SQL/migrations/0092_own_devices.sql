-- How long a sign-in lasts on a device of one's own.
--
-- A class that signs in every morning at eight needs as many password checks at once. Where the devices are the students'
-- own, the school may let a sign-in last for weeks.

alter table organization
    add column own_device_idle_hours integer not null default 12,
    add constraint organization_own_device_idle_hours check (own_device_idle_hours between 1 and 720);

comment on column organization.own_device_idle_hours is
    'After how long without use a sign-in ends in a browser on a device that nobody else uses.';
