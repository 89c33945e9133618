import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatInstant } from '../../../kit/format/instants.ts';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { FactorsForm } from './factors-form.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Section } from './section.tsx';
import { TwoFactorSetup } from './two-factor-setup.tsx';

type Dialog = 'set-up' | 'new-codes' | 'switch-off';

const titles: Readonly<Record<Dialog, string>> = {
  'set-up': 'Set up two-factor sign-in',
  'new-codes': 'New recovery codes',
  'switch-off': 'Switch off two-factor sign-in?',
};

/** Two-factor sign-in: its state and actions. */
export function TwoFactorSection() {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  /** While codes are shown, only the button below them closes the dialog, because they cannot be shown again. */
  const [areCodesShown, setCodesShown] = useState(false);
  const state = useQuery({ queryKey: ['readTwoFactor'], queryFn: ({ signal }) => client.readTwoFactor({ signal }) });

  function close(): void {
    setDialog(null);
    setCodesShown(false);
    void refreshEverything();
  }

  const factor = state.data?.data;
  return (
    <Section
      title="Two-factor sign-in"
      summary="Requires a code from an app on your phone in addition to your password."
      foot={
        factor &&
        (factor.enabled ? (
          <>
            <Button variant="default" onClick={() => setDialog('new-codes')}>
              New recovery codes…
            </Button>
            <Button variant="default" onClick={() => setDialog('switch-off')}>
              Switch off…
            </Button>
          </>
        ) : (
          <Button onClick={() => setDialog('set-up')}>Set up…</Button>
        ))
      }
    >
      <div className="panel-body">
        {state.error ? (
          <FailureNotice error={state.error} onRetry={() => void state.refetch()} />
        ) : factor ? (
          <Stack gap={6}>
            <Group gap="xs">
              <Badge variant="light" color={factor.enabled ? 'pine' : 'gray'} tt="none" fw={560} size="md">
                {factor.enabled ? 'On' : 'Off'}
              </Badge>
              {factor.confirmed_at && <Text c="dimmed">since {formatInstant(factor.confirmed_at)}</Text>}
            </Group>
            {factor.enabled ? (
              <CodesLeft count={factor.recovery_codes_left} />
            ) : (
              <Text c="dimmed">You sign in with only your password.</Text>
            )}
          </Stack>
        ) : (
          <LoadingNotice />
        )}
      </div>
      <Modal
        opened={dialog !== null}
        onClose={close}
        onExitTransitionEnd={() => setCodes(null)}
        closeOnClickOutside={false}
        closeOnEscape={!areCodesShown}
        withCloseButton={!areCodesShown}
        size={520}
        title={dialog && titles[dialog]}
      >
        {dialog === 'set-up' && (
          <TwoFactorSetup
            doneLabel="Done"
            onCancel={close}
            onEnabled={() => setCodesShown(true)}
            onDone={() => {
              close();
              showDone('From now on, you also need a code to sign in.');
            }}
          />
        )}
        {dialog === 'new-codes' &&
          (codes ? (
            <RecoveryCodes codes={codes} doneLabel="Done" onDone={close} />
          ) : (
            <FactorsForm
              sentence="Ten new codes replace all earlier ones, which stop working."
              cancelLabel="Cancel"
              submitLabel="Create new codes"
              onCancel={close}
              onSubmit={async (body) => {
                const { data } = await client.renewRecoveryCodes({ body });
                setCodes(data.recovery_codes);
                setCodesShown(true);
              }}
            />
          ))}
        {dialog === 'switch-off' && (
          <FactorsForm
            sentence="You will sign in with only your password. The recovery codes stop working."
            cancelLabel="Keep it on"
            submitLabel="Switch off"
            color="red"
            onCancel={close}
            onSubmit={async (body) => {
              await client.disableTwoFactor({ body });
              close();
              showDone('Two-factor sign-in is off.');
            }}
          />
        )}
      </Modal>
    </Section>
  );
}

function CodesLeft({ count }: { readonly count: number }) {
  if (count > 2) return <Text c="dimmed">{count} unused recovery codes are left.</Text>;
  const left = count === 0 ? 'No recovery codes are' : count === 1 ? 'One recovery code is' : 'Two recovery codes are';
  return <Text c="var(--mantine-color-orange-light-color)">{left} left. Create new ones while you have the app.</Text>;
}
