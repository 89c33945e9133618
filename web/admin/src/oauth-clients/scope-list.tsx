import { Badge, Group, Text } from '@mantine/core';
import { phraseOf } from '../../../kit/format/label.ts';

/** Scopes as people read them: "Rooms: see and change". */
export function ScopeList({ scopes }: { readonly scopes: readonly string[] }) {
  if (scopes.includes('*')) return <Text>Full access as its owner.</Text>;
  if (scopes.length === 0) return <Text c="dimmed">Nothing.</Text>;
  const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? ''))];
  return (
    <Group gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {resources.map((resource) => (
        <li key={resource}>
          <Badge variant="default" tt="none" fw={450} size="lg" fz="sm">
            {phraseOf(resource)}: {verbs(scopes, resource)}
          </Badge>
        </li>
      ))}
    </Group>
  );
}

function verbs(scopes: readonly string[], resource: string): string {
  const sees = scopes.includes(`${resource}:read`);
  const changes = scopes.includes(`${resource}:write`);
  if (sees && changes) return 'see and change';
  return sees ? 'see' : 'change';
}
