import { Input, SegmentedControl, SimpleGrid, TextInput } from '@mantine/core';
import type { Right } from '@foyer/contract/conventions/rights.ts';
import { FoyerError } from '@foyer/sdk';
import { useState } from 'react';
import { LinkDialog } from '../admins/link-dialog.tsx';
import { faultsBelow, strayFaults } from '../../../kit/form/form-values.ts';
import { ReferencePicker } from '../../../kit/form/fields/reference-picker.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { callEndpoint, client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { Place } from './levels.ts';
import { MemberDrawer } from './member-drawer.tsx';
import { RightsInput } from './rights-input.tsx';
import { firstRights } from './rights.ts';

type Way = 'invite' | 'existing' | 'new';

/** The ways to add a member that the caller may use. */
export function useWays(place: Place): { value: Way; label: string }[] {
  const may = useMay();
  const mayAdd = may(place.level.create);
  return [
    ...(may('createInvitation') ? [{ value: 'invite' as const, label: 'Invite' }] : []),
    ...(mayAdd && may('listUsers') ? [{ value: 'existing' as const, label: 'Existing user' }] : []),
    ...(mayAdd ? [{ value: 'new' as const, label: 'New user' }] : []),
  ];
}

interface Props {
  readonly place: Place;
  readonly onClose: () => void;
}

type Grant = { readonly owner?: boolean; readonly permissions?: Right[] };

interface Link {
  readonly email: string;
  readonly url: string;
  readonly expiresAt: string;
}

/** Adds a member to a customer, an account or a room. */
export function AddPerson({ place, onClose }: Props) {
  const ways = useWays(place);
  const [way, setWay] = useState<Way>(ways[0]?.value ?? 'new');
  const [userId, setUserId] = useState<string | null>(null);
  const [person, setPerson] = useState({ email: '', first_name: '', last_name: '' });
  const [isOwner, setOwner] = useState(false);
  const [rights, setRights] = useState<readonly Right[]>(firstRights[place.level.name]);
  const [failure, setFailure] = useState<unknown>(null);
  const [link, setLink] = useState<Link | null>(null);
  const errors = failure instanceof FoyerError ? failure.errors : {};
  const fault = (name: string) => Object.values(faultsBelow(errors, name))[0] ?? null;
  const { level } = place;

  async function submit(): Promise<void> {
    setFailure(null);
    try {
      const grant: Grant = isOwner ? { owner: true } : { permissions: [...rights] };
      if (way === 'invite') return await invite(grant);
      const body = { ...(way === 'existing' ? { user_id: userId ?? undefined } : filled(person)), ...grant };
      const params = { [level.noun.param]: place.id };
      const { data } = (await callEndpoint(level.create, { params, body })) as { data: { full_name: string } };
      await refreshEverything();
      showDone(`${data.full_name} is now a member of ${place.name}.`);
      onClose();
    } catch (error) {
      setFailure(error);
    }
  }

  async function invite(grant: Grant): Promise<void> {
    const within =
      level.name === 'customer' ? {} : level.name === 'account' ? { account_id: place.id } : { room_id: place.id };
    const { data } = await client.createInvitation({
      params: { customer_id: place.customerId },
      body: { email: person.email, ...filled({ ...person, email: '' }), ...within, ...grant },
    });
    await refreshEverything();
    if (data.url === null) {
      showDone(`An invitation is on its way to ${data.email}.`);
      onClose();
    } else setLink({ email: data.email, url: data.url, expiresAt: data.expires_at });
  }

  if (link !== null) return <LinkDialog title={`Invitation to ${place.name}`} {...link} onClose={onClose} />;
  const text = (name: keyof typeof person, label: string, isRequired: boolean) => (
    <TextInput
      name={name}
      label={label}
      type={name === 'email' ? 'email' : 'text'}
      required={isRequired}
      error={fault(name)}
      value={person[name]}
      onChange={({ currentTarget: { value } }) => setPerson((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <MemberDrawer
      title={`Add a person to ${place.name}`}
      submitLabel={way === 'invite' ? 'Invite' : 'Add'}
      failure={failure}
      stray={strayFaults(
        errors,
        [...Object.keys(person), 'user_id', 'permissions'].map((name) => ({ name })),
      )}
      isDirty={userId !== null || Object.values(person).some((value) => value !== '')}
      canSubmit={way !== 'existing' || userId !== null}
      onClose={onClose}
      onSubmit={submit}
    >
      {ways.length > 1 && (
        <SegmentedControl
          aria-label="How"
          fullWidth
          value={way}
          data={ways}
          onChange={(next) => {
            setWay(next);
            setFailure(null);
          }}
        />
      )}
      {way === 'existing' ? (
        <ReferencePicker
          name="user_id"
          label="User"
          description="Found by name or email."
          error={fault('user_id')}
          required
          prefix="user"
          value={userId}
          onChange={setUserId}
        />
      ) : (
        <>
          {text('email', 'Email', true)}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {text('first_name', 'First name', way === 'new')}
            {text('last_name', 'Last name', way === 'new')}
          </SimpleGrid>
          <Input.Description>
            {way === 'invite'
              ? 'They get a link to choose a password. It is valid for seven days. If no mail server is set up, the link is shown to you.'
              : 'They can’t sign in until they have a password: send them a reset link from their page.'}
          </Input.Description>
        </>
      )}
      <RightsInput
        level={level.name}
        isOwner={isOwner}
        rights={rights}
        error={fault('permissions')}
        onOwner={setOwner}
        onRights={setRights}
      />
    </MemberDrawer>
  );
}

function filled(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}
