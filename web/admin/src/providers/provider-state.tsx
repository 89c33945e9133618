import { Badge, Group, Tooltip } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { useQuery } from '@tanstack/react-query';
import { Absent } from '../../../kit/display/field-value.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { client } from '../../../kit/api/client.ts';
import type { ServiceProviderRow } from '../nouns/rows.ts';

export type ProviderSummary = EndpointAnswer<'listServiceProviderHealth'>['data']['providers'][number];

/** The health of all providers, read once for the whole screen. */
export function useProvidersHealth() {
  return useQuery({
    queryKey: ['listServiceProviderHealth'],
    queryFn: ({ signal }) => client.listServiceProviderHealth({ signal }),
    // The first check sends no event, so its result is polled.
    refetchInterval: ({ state }) => (state.data?.data.providers.some(isBeingChecked) ? 2000 : false),
  });
}

/** Whether the first check of an active provider has no result yet. */
export function isBeingChecked(provider: { readonly active: boolean; readonly checked_at: string | null }): boolean {
  return provider.active && provider.checked_at === null;
}

/** The text that replaces figures that are not known. */
export function uncountedText(provider: ProviderFigures | undefined): string {
  if (provider === undefined) return 'not counted yet';
  if (isBeingChecked(provider)) return '–';
  if (provider.latency_ms === null) return 'never responded';
  return provider.state === 'down' ? 'does not respond' : 'not counted yet';
}

type ProviderFigures = Pick<ProviderSummary, 'active' | 'checked_at' | 'latency_ms' | 'state'>;

/** Badges for state and health. An inactive provider has no other state. */
export function ProviderState(props: {
  readonly active: boolean;
  readonly draining: boolean;
  readonly state: string | null;
  readonly problem?: string | null;
  readonly isChecking?: boolean;
}) {
  if (!props.active) return <StatusBadge value="inactive" />;
  return (
    <Group gap={6} component="span" display="inline-flex" wrap="nowrap">
      {props.state !== null && (
        <Tooltip label={props.problem ?? ''} disabled={!props.problem} multiline maw={320}>
          <span>
            {props.isChecking ? (
              <Badge variant="light" color="gray" tt="none" fw={560} size="md">
                Being checked…
              </Badge>
            ) : (
              <StatusBadge value={props.state} />
            )}
          </span>
        </Tooltip>
      )}
      {props.draining && (
        <Badge variant="light" color="orange" tt="none" fw={560} size="md">
          Draining
        </Badge>
      )}
    </Group>
  );
}

export function ProviderStateCell({ row }: { readonly row: ServiceProviderRow }) {
  const result = useProvidersHealth();
  const health = result.data?.data.providers.find(({ service_provider_id: id }) => id === row.id);
  return (
    <ProviderState
      active={row.active}
      draining={row.draining}
      state={health?.state ?? null}
      problem={health?.problem ?? null}
      isChecking={health !== undefined && isBeingChecked(health)}
    />
  );
}

export function TagsCell({ row }: { readonly row: ServiceProviderRow }) {
  const tags = (row.tags ?? []) as readonly string[];
  if (tags.length === 0) return <Absent />;
  return (
    <Group gap={4} component="span" display="inline-flex" wrap="nowrap">
      {tags.map((tag) => (
        <Badge key={tag} variant="default" tt="none" fw={450}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
