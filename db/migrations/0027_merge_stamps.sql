-- A link of a ticket to a pull request, and what a merge sets, are written by src/pull_requests and src/tickets/merge.ts.
drop trigger ticket_pull_requests_known on ticket_pull_requests;
drop trigger ticket_pull_requests_stamp on ticket_pull_requests;
drop trigger tickets_follow_merge on tickets;
drop function link_known_pull_request();
drop function stamp_linked_ticket();
drop function follow_merge();
drop function stamp_merge(uuid[], text, integer);
drop function lock_pull_request(text, integer);
