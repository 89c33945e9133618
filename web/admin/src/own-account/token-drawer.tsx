import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fromLocalInput } from '../../../kit/format/instants.ts';
import { ScopesInput } from '../oauth-clients/scopes-input.tsx';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { SideDrawer, useDrawerClose } from '../../../kit/dialog/side-drawer.tsx';
import { client, refreshEverything } from '../../../kit/api/client.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Called with the value of the created token, which is shown once. */
  readonly onCreated: (name: string, token: string) => void;
}

export function TokenDrawer({ isOpen, onClose, onCreated }: Props) {
  return (
    <SideDrawer title="New personal access token" isOpen={isOpen} onClose={onClose}>
      <TokenForm onClose={onClose} onCreated={onCreated} />
    </SideDrawer>
  );
}

const dayMs = 86_400_000;
const lifetimes = [
  { value: 'default', label: 'Platform default' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: 'until', label: 'Choose a date…' },
];

function TokenForm({ onClose, onCreated }: Omit<Props, 'isOpen'>) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [lifetime, setLifetime] = useState('90');
  const [until, setUntil] = useState('');
  const submission = useSubmission();
  const close = useDrawerClose((name !== '' || scopes.length > 0) && !submission.isBusy);

  async function create(): Promise<void> {
    const expiresAt = expiryOf(lifetime, until);
    const { data } = await client.createPersonalAccessToken({
      body: { name: name.trim(), scopes, ...(expiresAt === null ? {} : { expires_at: expiresAt }) },
    });
    await refreshEverything();
    onCreated(data.name, data.token ?? '');
  }

  const expiryFault = submission.faultOf('expires_at');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(create, event.currentTarget);
      }}
    >
      <Stack p="xl" pt="lg" gap="lg">
        <RefusalAlert error={submission.failureOutsideFields('name', 'scopes', 'expires_at')} />
        <TextInput
          label="Name"
          description="What it is for: the program, and where it runs."
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={submission.faultOf('name')}
          errorProps={{ role: 'alert' }}
          data-autofocus
        />
        <Select
          label="Lifetime"
          data={lifetimes}
          allowDeselect={false}
          value={lifetime}
          onChange={(value) => setLifetime(value ?? 'default')}
          error={lifetime === 'until' ? null : expiryFault}
        />
        {lifetime === 'until' && (
          <TextInput
            type="datetime-local"
            label="Expires"
            description="At most two years from now."
            required
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
            error={expiryFault}
            errorProps={{ role: 'alert' }}
          />
        )}
        <ScopesInput
          label="Scopes"
          description="Limits the token. It can never do more than you can."
          required
          value={scopes}
          onChange={setScopes}
          error={submission.faultOf('scopes')}
        />
      </Stack>
      <Group className="form-foot" justify="flex-end" gap="sm">
        <Button variant="default" onClick={close ?? onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={submission.isBusy}>
          Create token
        </Button>
      </Group>
    </form>
  );
}

/** Null for the platform default; an empty text if no date is entered, which the API rejects. */
function expiryOf(lifetime: string, until: string): string | null {
  if (lifetime === 'default') return null;
  if (lifetime === 'until') return until === '' ? '' : fromLocalInput(until);
  return new Date(Date.now() + Number(lifetime) * dayMs).toISOString();
}
