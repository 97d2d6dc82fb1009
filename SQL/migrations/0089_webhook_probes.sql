-- Whether the receiver of a webhook has ever taken a delivery. One that has is probed every minute while it fails; one
-- that never has, such as a mistyped address, is called less often.

alter table webhook add column has_answered boolean not null default false;

-- One that does not fail was never called, or answered; of one that fails, its deliveries know.
update webhook as w set has_answered = w.failing_since is null
    or exists (select from webhook_delivery as d
                where d.organization_id = w.organization_id and d.webhook_id = w.webhook_id
                  and d.delivered_at is not null);

comment on column webhook.has_answered is 'Whether its receiver, at the present URL, has ever taken a delivery.';
