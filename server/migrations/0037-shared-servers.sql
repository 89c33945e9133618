-- A recording is one of its room, however many service providers lead to the server that has it. What was counted twice
-- is counted once from now on; the usage follows with the next reconciliation.
delete from recordings twin
using (
  select id, row_number() over (
    partition by room_id, provider_recording_id order by deleted_at is not null, service_provider_id is null, id
  ) as place
  from recordings
) ranked
where ranked.id = twin.id and ranked.place > 1;
create unique index recordings_once on recordings (room_id, provider_recording_id);
-- Which providers lead to one server.
create index service_providers_server on service_providers ((properties ->> 'host_url'));
-- How many recordings wait is shown at every look at the figures.
create index recordings_unfinished on recordings (service_provider_id)
  where deleted_at is null and state in ('processing', 'processed');
