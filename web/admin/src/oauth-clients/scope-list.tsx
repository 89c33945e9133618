import { Badge, Group, Text } from '@mantine/core';
import { phraseOf } from '../../../kit/format/label.ts';

/** Scopes as people read them: "Rooms: see and change". */
export function ScopeList({ scopes }: { readonly scopes: readonly string[] }) {
  if (scopes.includes('*')) return <Text>Full access as its owner.</Text>;
  if (scopes.length === 0) return <Text c="dimmed">No scopes.</Text>;
  const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? ''))];
  return (
    <Group gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {resources.map((resource) => (
        <li key={resource}>
          <Badge variant="default" tt="none" fw={450} size="lg" fz="sm">
            {phraseOf(resource)}: {accessText(scopes, resource)}
          </Badge>
        </li>
      ))}
    </Group>
  );
}

function accessText(scopes: readonly string[], resource: string): string {
  const canRead = scopes.includes(`${resource}:read`);
  const canWrite = scopes.includes(`${resource}:write`);
  if (canRead && canWrite) return 'see and change';
  return canRead ? 'see' : 'change';
}
