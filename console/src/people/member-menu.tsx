import { ActionIcon, Group, Menu } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { IconCrown, IconDots, IconPencil, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import { faultsBelow, isSame, strayFaults } from '../fields/form-values.ts';
import { ConfirmDialog } from '../layout/confirm-dialog.tsx';
import { showDone } from '../layout/toasts.ts';
import { callEndpoint, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';
import type { Membership, Place } from './levels.ts';
import { MemberDrawer } from './member-drawer.tsx';
import { RightsInput } from './rights-input.tsx';

interface Props {
  readonly place: Place;
  readonly membership: Membership;
}

/** What can be done with a membership. The one of the owner ends only when somebody else becomes it. */
export function MemberMenu({ place, membership }: Props) {
  const may = useMay();
  const [asked, setAsked] = useState<'rights' | 'owner' | 'removal' | null>(null);
  const { level } = place;
  if (membership.owner || (!may(level.update) && !may(level.remove))) return null;
  const name = membership.full_name;
  const params = { [level.noun.param]: place.id, user_id: membership.user_id };

  async function makeOwner(): Promise<void> {
    await callEndpoint(level.update, { params, body: { owner: true } });
    await refreshEverything();
    showDone(`${name} owns ${place.name} now.`);
  }

  async function remove(): Promise<void> {
    await callEndpoint(level.remove, { params });
    await refreshEverything();
    showDone(`${name} is not one of the people of ${place.name} any more.`);
  }

  return (
    <Group justify="flex-end">
      <Menu position="bottom-end" shadow="md" width={200}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name} in ${place.name}`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may(level.update) && (
            <>
              <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setAsked('rights')}>
                Change rights
              </Menu.Item>
              <Menu.Item leftSection={<IconCrown size={15} />} onClick={() => setAsked('owner')}>
                Make owner…
              </Menu.Item>
            </>
          )}
          {may(level.remove) && (
            <Menu.Item color="red" leftSection={<IconUserMinus size={15} />} onClick={() => setAsked('removal')}>
              Remove…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {asked === 'rights' && (
        <ChangeRights place={place} membership={membership} onClose={() => setAsked(null)} params={params} />
      )}
      <ConfirmDialog
        isOpen={asked === 'owner'}
        onClose={() => setAsked(null)}
        title={`Make ${name} the owner of ${place.name}?`}
        confirmLabel="Make owner"
        isDangerous={false}
        onConfirm={makeOwner}
      >
        The owner has every right. The present owner stays a member with every right, and can be changed afterwards.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'removal'}
        onClose={() => setAsked(null)}
        title={`Remove ${name} from ${place.name}?`}
        confirmLabel="Remove"
        onConfirm={remove}
      >
        {`What this membership allows ends at once. The user stays, and so do other memberships.`}
      </ConfirmDialog>
    </Group>
  );
}

function ChangeRights(props: Props & { readonly params: Record<string, string>; readonly onClose: () => void }) {
  const { place, membership, params, onClose } = props;
  const [isOwner, setOwner] = useState(false);
  const [rights, setRights] = useState([...membership.permissions]);
  const [failure, setFailure] = useState<unknown>(null);
  const errors = failure instanceof FoyerError ? failure.errors : {};

  async function submit(): Promise<void> {
    setFailure(null);
    try {
      await callEndpoint(place.level.update, { params, body: isOwner ? { owner: true } : { permissions: rights } });
      await refreshEverything();
      showDone('Saved.');
      onClose();
    } catch (error) {
      setFailure(error);
    }
  }

  return (
    <MemberDrawer
      title={`Rights of ${membership.full_name} in ${place.name}`}
      submitLabel="Save"
      failure={failure}
      stray={strayFaults(errors, [{ name: 'permissions' }])}
      isDirty={isOwner || !isSame(rights, membership.permissions)}
      onClose={onClose}
      onSubmit={submit}
    >
      <RightsInput
        level={place.level.name}
        isOwner={isOwner}
        rights={rights}
        error={Object.values(faultsBelow(errors, 'permissions'))[0] ?? null}
        onOwner={setOwner}
        onRights={setRights}
      />
    </MemberDrawer>
  );
}
