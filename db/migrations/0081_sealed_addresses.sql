-- Who knows the address of a chat's hook may write there. So the address is sealed, as other secrets are, and the origin
-- stands beside it for those who don't need the rest. The job that renews secrets seals the addresses that are there.
alter table outbound_endpoints add column origin text;
update outbound_endpoints set origin = lower(regexp_replace(substring(url from '^[A-Za-z]+://[^/?#]+'), '//[^@]*@', '//'));
alter table outbound_endpoints alter column origin set not null;

-- Earlier versions wrote whole addresses into the audit list.
update audit_log set details = details - 'url' || jsonb_build_object('host', substring(details->>'url' from '^[A-Za-z]+://(?:[^/?#]*@)?([^/?#]+)'))
where action like 'webhook.%' and details ? 'url';
