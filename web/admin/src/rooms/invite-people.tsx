import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { unmailedReasons } from '@foyer/contract/resources/rooms/room-invitation.ts';
import type { EndpointAnswer, EndpointInput } from '@foyer/sdk';
import { IconMailPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { FormDrawer } from '../../../kit/form/form-drawer.tsx';
import type { FormRules } from '../../../kit/form/form-faults-of.ts';
import { formFieldsOf } from '../../../kit/form/form-fields.ts';
import { creationBody, type FormValues } from '../../../kit/form/form-values.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { RoomRow } from '../nouns/rows.ts';
import { bodyOf } from '../resource/actions/use-creation.tsx';

type Body = EndpointInput<'inviteToRoom'>['body'];
type Invitation = EndpointAnswer<'inviteToRoom'>['data'][number];
type UnmailedReason = (typeof unmailedReasons)[number];

const groups = [
  { title: '', fields: ['to', 'role', 'message'] },
  { title: 'When', fields: ['starts_at', 'duration_minutes'] },
];

const hints = {
  to: 'Each person gets a separate mail with a personal link. Up to 100 addresses, separated by commas.',
  message: 'Shown in the mail.',
  starts_at: 'Adds a calendar entry to the mail. To move it, invite the same people again with another time.',
};

const rules: FormRules = { shownWhen: { duration_minutes: (values) => Boolean(values['starts_at']) } };

/** Mails personal links to a room, with a calendar entry if the form has a start time. */
export function InvitePeople({ room }: { readonly room: RoomRow }): ReactNode {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const [unmailed, setUnmailed] = useState<readonly Invitation[]>([]);
  if (!may('inviteToRoom')) return null;
  const fields = formFieldsOf(bodyOf('inviteToRoom')).map((field) =>
    field.name === 'to' ? { ...field, label: 'Email addresses' } : field,
  );

  async function invite(values: FormValues): Promise<void> {
    const { duration_minutes: duration, ...body } = creationBody(fields, values);
    const withDuration = body['starts_at'] === undefined ? body : { ...body, duration_minutes: duration };
    const { data } = await client.inviteToRoom({ params: { room_id: room.id }, body: withDuration as Body });
    await refreshEverything();
    setOpen(false);
    const mailed = data.filter((invitation) => invitation.mailed);
    if (mailed.length > 0) showDone(invitedSummary(mailed));
    setUnmailed(data.filter((invitation) => !invitation.mailed));
  }

  return (
    <>
      <Button variant="default" leftSection={<IconMailPlus size={16} />} onClick={() => setOpen(true)}>
        Invite
      </Button>
      <FormDrawer
        title={`Invite people to ${room.room_name}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        fields={fields}
        groups={groups}
        hints={hints}
        stored={{ role: 'attendee', duration_minutes: 60 }}
        rules={rules}
        isCreation
        submitLabel="Send invitations"
        onSubmit={invite}
      />
      <UnmailedDialog invitations={unmailed} onClose={() => setUnmailed([])} />
    </>
  );
}

function invitedSummary(mailed: readonly Invitation[]): string {
  const [first] = mailed;
  return mailed.length === 1 && first
    ? `An invitation is on its way to ${first.email}.`
    : `Invitations are on their way to ${mailed.length} people.`;
}

/** The links of people who get no mail, with the reason. */
function UnmailedDialog({
  invitations,
  onClose,
}: {
  readonly invitations: readonly Invitation[];
  readonly onClose: () => void;
}) {
  return (
    <Modal opened={invitations.length > 0} onClose={onClose} size="lg" title="Share these links yourself">
      <Stack>
        {unmailedReasons.map((reason) => (
          <UnmailedLinks
            key={reason}
            reason={reason}
            invitations={invitations.filter((invitation) => invitation.unmailed_reason === reason)}
          />
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function UnmailedLinks({
  reason,
  invitations,
}: {
  readonly reason: UnmailedReason;
  readonly invitations: readonly Invitation[];
}) {
  if (invitations.length === 0) return null;
  return (
    <>
      <Alert color="yellow" variant="light">
        <ReasonText reason={reason} />
      </Alert>
      <div className="panel">
        {invitations.map(({ id, email, url }) => (
          <Group key={id} className="line" justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text fw={540} truncate>
                {email}
              </Text>
              <Text fz="sm" c="dimmed" truncate>
                {url}
              </Text>
            </div>
            <CopyAction value={url} label={`the link for ${email}`} />
          </Group>
        ))}
      </div>
    </>
  );
}

function ReasonText({ reason }: { readonly reason: UnmailedReason }) {
  if (reason === 'recipient-opted-out') return 'These people have turned off invitations by mail.';
  if (reason === 'switched-off')
    return (
      <>
        Room invitations are turned off in <SettingsLink tab="notifications">Settings, Notifications</SettingsLink>.
      </>
    );
  return (
    <>
      No mail server is set up. The invitations are kept in <SettingsLink tab="mail">Settings, Sent mails</SettingsLink>
      .
    </>
  );
}

/** A link for administrators who can open the settings; otherwise only its text. */
function SettingsLink({ tab, children }: { readonly tab: string; readonly children: string }) {
  const may = useMay();
  if (!may('readSettings')) return children;
  return (
    <Link to="/settings" search={{ tab }} className="link">
      {children}
    </Link>
  );
}
