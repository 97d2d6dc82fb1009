-- What an import removes of the people, classes and seats that are there, for whoever decides about it: as an array of
-- {kind, removed, present}. A share of more than a tenth is said before anybody approves, in a preview too.

alter table import
    add column removals     jsonb   not null default '[]',
    add column removes_much boolean not null default false;
update import set removes_much = true where status = 'awaitingApproval';
