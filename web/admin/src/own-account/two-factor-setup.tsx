import './own-account.css';
import { Button, Group, List, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { type ReactNode, useState } from 'react';
import { toText } from '../../../kit/format/to-text.ts';
import { type Submission, useSubmission } from '../../../kit/api/use-submission.ts';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { client } from '../../../kit/api/client.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

type Enrollment = EndpointAnswer<'beginTwoFactor'>['data'];

interface Props {
  readonly doneLabel: string;
  /** Called when the second factor is on and the person has saved the recovery codes. */
  readonly onDone: () => void;
  /** Called when the second factor is on, while the recovery codes are still shown. */
  readonly onEnabled?: () => void;
  readonly onCancel?: () => void;
}

/** The steps: password, secret and first code, recovery codes. */
export function TwoFactorSetup({ doneLabel, onDone, onEnabled, onCancel }: Props) {
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const submission = useSubmission();

  if (codes) return <RecoveryCodes codes={codes} doneLabel={doneLabel} onDone={onDone} />;
  const cancel = onCancel && (
    <Button variant="default" onClick={onCancel}>
      Cancel
    </Button>
  );
  if (enrollment) {
    return (
      <ScanStep
        enrollment={enrollment}
        submission={submission}
        cancel={cancel}
        onCode={(code) =>
          submission.run(async () => {
            const { data } = await client.confirmTwoFactor({ body: { code } });
            setCodes(data.recovery_codes);
            onEnabled?.();
          })
        }
      />
    );
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const password = toText(new FormData(event.currentTarget).get('password'));
        submission.run(async () => {
          const { data } = await client.beginTwoFactor({ body: { password } });
          setEnrollment(data);
        });
      }}
    >
      <Stack>
        <RefusalAlert error={submission.failureOutsideFields('password')} />
        <Text>
          You need an authenticator app on your phone or computer, such as Aegis, 1Password, Google Authenticator or
          Microsoft Authenticator.
        </Text>
        <PasswordInput
          name="password"
          label="Your password"
          description="To confirm that it’s you."
          autoComplete="current-password"
          error={submission.faultOf('password')}
          aria-invalid={submission.faultOf('password') !== null}
          errorProps={{ role: 'alert' }}
          data-autofocus
          autoFocus
        />
        <Group justify="flex-end" gap="xs">
          {cancel}
          <Button type="submit" loading={submission.isBusy}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ScanStep(props: {
  readonly enrollment: Enrollment;
  readonly submission: Submission;
  readonly cancel: ReactNode;
  readonly onCode: (code: string) => void;
}) {
  const { enrollment, submission } = props;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onCode(toText(new FormData(event.currentTarget).get('code')).trim());
      }}
    >
      <Stack>
        <RefusalAlert error={submission.failureOutsideFields('code')} />
        <Group align="flex-start" gap="lg">
          <img className="qr-code" src={enrollment.qr_code} alt="QR code for the authenticator app" />
          <Stack flex="1 1 220px" gap="sm">
            <List type="ordered" spacing={6}>
              <List.Item>Scan this code with the app.</List.Item>
              <List.Item>Enter the six digits that it shows.</List.Item>
            </List>
            <div>
              <Text fz="sm" c="dimmed">
                Can’t scan it? Enter this key in the app:
              </Text>
              <Group gap={4} wrap="nowrap">
                <Text ff="monospace" fz="sm" aria-label="Key">
                  {inGroups(enrollment.secret)}
                </Text>
                <CopyAction value={enrollment.secret} label="the key" />
              </Group>
            </div>
          </Stack>
        </Group>
        <TextInput
          name="code"
          label="Code from the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={7}
          error={submission.faultOf('code')}
          errorProps={{ role: 'alert' }}
          autoFocus
          data-autofocus
          classNames={{ input: 'code-input' }}
        />
        <Group justify="flex-end" gap="xs">
          {props.cancel}
          <Button type="submit" loading={submission.isBusy}>
            Switch it on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function inGroups(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
