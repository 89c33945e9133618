import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { Logo } from '../layout/logo.tsx';
import { RefusalAlert } from '../layout/notices.tsx';
import { signIn } from './session.ts';
import { words } from '../fields/words.ts';

const greetings = {
  'signed-out': 'You have signed out.',
  expired: 'Your session has ended. Sign in to go on where you were.',
};

export function SignInScreen({ reason }: { readonly reason: 'signed-out' | 'expired' | null }) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    setBusy(true);
    setFailure(null);
    try {
      await signIn(words(data.get('username')), words(data.get('password')));
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  }

  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={380} gap="lg">
        <Stack gap={10} align="center">
          <Logo size={48} />
          <Title order={1} ta="center">
            Sign in to Foyer
          </Title>
          <Text c="dimmed" ta="center">
            The console for administrators.
          </Text>
        </Stack>
        <Paper className="panel" p="xl" component="form" onSubmit={(event) => void submit(event)}>
          <Stack>
            {failure ? (
              <RefusalAlert error={failure} />
            ) : (
              reason && (
                <Alert color="gray" variant="light" role="status">
                  {greetings[reason]}
                </Alert>
              )
            )}
            <TextInput
              name="username"
              label="User name or email"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              withAsterisk={false}
              autoFocus
              size="md"
            />
            <PasswordInput
              name="password"
              label="Password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              size="md"
            />
            <Button type="submit" loading={isBusy} size="md" mt={4} fullWidth>
              Sign in
            </Button>
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
