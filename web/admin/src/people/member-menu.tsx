import { ActionIcon, Group, Menu } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { IconCrown, IconDots, IconPencil, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import type { MembershipLevel, Right } from '@foyer/contract/conventions/rights.ts';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { useMerge } from '../../../kit/concurrency/use-merge.tsx';
import { writeIfUnchanged, type WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';
import { errorsOfField, type FormValues, isSame, errorsWithoutField } from '../../../kit/form/form-values.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { callEndpoint, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { Membership, MembershipScope } from './levels.ts';
import { MemberDrawer } from './member-drawer.tsx';
import { summaryOf } from './rights.ts';
import { RightsInput } from './rights-input.tsx';

interface Props {
  readonly scope: MembershipScope;
  readonly membership: Membership;
}

/** The actions for a membership. The owner has none: ownership ends only when another person becomes the owner. */
export function MemberMenu({ scope, membership }: Props) {
  const may = useMay();
  const [dialog, setDialog] = useState<'rights' | 'owner' | 'removal' | null>(null);
  const { level } = scope;
  if (membership.owner || (!may(level.update) && !may(level.remove))) return null;
  const name = membership.full_name;
  const params = { [level.noun.param]: scope.id, user_id: membership.user_id };

  function write(send: (ifMatch: string) => Promise<unknown>): Promise<unknown> {
    return writeIfUnchanged(membershipTarget(scope, membership), versionOfListRow(membership), send);
  }

  async function makeOwner(): Promise<void> {
    await write((ifMatch) => callEndpoint(level.update, { params, body: { owner: true }, ifMatch }));
    await refreshEverything();
    showDone(`${name} is now the owner of ${scope.name}.`);
  }

  async function remove(): Promise<void> {
    await write((ifMatch) => callEndpoint(level.remove, { params, ifMatch }));
    await refreshEverything();
    showDone(`${name} is no longer a member of ${scope.name}.`);
  }

  return (
    <Group justify="flex-end">
      <Menu position="bottom-end" shadow="md" width={200}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name} in ${scope.name}`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may(level.update) && (
            <>
              <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setDialog('rights')}>
                Change rights
              </Menu.Item>
              <Menu.Item leftSection={<IconCrown size={15} />} onClick={() => setDialog('owner')}>
                Make owner…
              </Menu.Item>
            </>
          )}
          {may(level.remove) && (
            <Menu.Item color="red" leftSection={<IconUserMinus size={15} />} onClick={() => setDialog('removal')}>
              Remove…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'rights' && (
        <ChangeRights scope={scope} membership={membership} onClose={() => setDialog(null)} params={params} />
      )}
      <ConfirmDialog
        isOpen={dialog === 'owner'}
        onClose={() => setDialog(null)}
        title={`Make ${name} the owner of ${scope.name}?`}
        confirmLabel="Make owner"
        isDangerous={false}
        onConfirm={makeOwner}
      >
        The owner has all rights. The current owner stays a member with all rights, which you can change afterwards.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'removal'}
        onClose={() => setDialog(null)}
        title={`Remove ${name} from ${scope.name}?`}
        confirmLabel="Remove"
        onConfirm={remove}
      >
        {`The rights of this membership end immediately. The user keeps all other memberships.`}
      </ConfirmDialog>
    </Group>
  );
}

function membershipTarget({ id, level }: MembershipScope, { user_id }: Membership): WriteTarget {
  return { read: level.read, params: { [level.noun.param]: id, user_id }, fields: ['owner', 'permissions'] };
}

function rightsText(level: MembershipLevel, rights: readonly Right[]): string {
  return summaryOf(level, rights)
    .map(({ label, words }) => `${label}: ${words}`)
    .join('; ');
}

function ChangeRights(props: Props & { readonly params: Record<string, string>; readonly onClose: () => void }) {
  const { scope, membership, params, onClose } = props;
  const [values, setValues] = useState<FormValues>({ owner: false, permissions: membership.permissions });
  const [failure, setFailure] = useState<unknown>(null);
  const errors = failure instanceof FoyerError ? failure.errors : {};

  const isOwner = values['owner'] === true;
  const rights = (values['permissions'] ?? []) as readonly Right[];
  const merge = useMerge({
    shown: versionOfListRow(membership),
    valuesOf: ({ owner, permissions }) => ({ owner, permissions }),
    values,
    onValues: setValues,
    labelOf: ([name]) => (name === 'owner' ? 'Owner' : 'Rights'),
    valueOf: (_path, value) => (Array.isArray(value) ? rightsText(scope.level.name, value) : value ? 'Yes' : 'No'),
  });

  async function submit(): Promise<void> {
    setFailure(null);
    if (merge.requireChoices()) return;
    try {
      await merge.submit(async (base) => {
        const body = isOwner ? { owner: true } : { permissions: rights };
        await writeIfUnchanged(
          membershipTarget(scope, membership),
          base?.version ?? versionOfListRow(membership),
          (ifMatch) => callEndpoint(scope.level.update, { params, body, ifMatch }),
        );
        await refreshEverything();
        showDone('Saved.');
        onClose();
      });
    } catch (error) {
      setFailure(error);
    }
  }

  return (
    <MemberDrawer
      title={`Rights of ${membership.full_name} in ${scope.name}`}
      submitLabel="Save"
      failure={failure}
      otherErrors={errorsWithoutField(errors, [{ name: 'permissions' }])}
      isDirty={isOwner || !isSame(rights, membership.permissions)}
      onClose={onClose}
      onSubmit={submit}
    >
      {merge.panel}
      <RightsInput
        level={scope.level.name}
        isOwner={isOwner}
        rights={rights}
        error={Object.values(errorsOfField(errors, 'permissions'))[0] ?? null}
        onOwner={(owner) => setValues({ ...values, owner })}
        onRights={(permissions) => setValues({ ...values, permissions })}
      />
    </MemberDrawer>
  );
}
