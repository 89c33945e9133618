import { Input, SegmentedControl, SimpleGrid, TextInput } from '@mantine/core';
import type { Right } from '@foyer/contract/conventions/rights.ts';
import { FoyerError } from '@foyer/sdk';
import { useState } from 'react';
import { LinkDialog } from '../admins/link-dialog.tsx';
import { errorsOfField, errorsWithoutField, isSame } from '../../../kit/form/form-values.ts';
import { ReferencePicker } from '../../../kit/form/fields/reference-picker.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { callEndpoint, client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { MembershipScope } from './levels.ts';
import { MemberDrawer } from './member-drawer.tsx';
import { RightsInput } from './rights-input.tsx';
import { defaultRights } from './rights.ts';

type AddMethod = 'invite' | 'existing' | 'new';

/** The methods that the caller may use to add a member. */
export function useAddMethods(scope: MembershipScope): { value: AddMethod; label: string }[] {
  const may = useMay();
  const mayAdd = may(scope.level.create);
  return [
    ...(may('createInvitation') ? [{ value: 'invite' as const, label: 'Invite' }] : []),
    ...(mayAdd && may('listUsers') ? [{ value: 'existing' as const, label: 'Existing user' }] : []),
    ...(mayAdd ? [{ value: 'new' as const, label: 'New user' }] : []),
  ];
}

interface Props {
  readonly scope: MembershipScope;
  readonly onClose: () => void;
}

type Grant = { readonly owner?: boolean; readonly permissions?: Right[] };

interface Link {
  readonly email: string;
  readonly url: string;
  readonly expiresAt: string;
}

/** Adds a member to a customer, an account or a room. */
export function AddPerson({ scope, onClose }: Props) {
  const methods = useAddMethods(scope);
  const [method, setMethod] = useState<AddMethod>(methods[0]?.value ?? 'new');
  const [userId, setUserId] = useState<string | null>(null);
  const [person, setPerson] = useState({ email: '', first_name: '', last_name: '' });
  const [isOwner, setOwner] = useState(false);
  const [rights, setRights] = useState<readonly Right[]>(defaultRights[scope.level.name]);
  const [failure, setFailure] = useState<unknown>(null);
  const [link, setLink] = useState<Link | null>(null);
  const errors = failure instanceof FoyerError ? failure.errors : {};
  const errorOf = (name: string) => Object.values(errorsOfField(errors, name))[0] ?? null;
  const { level } = scope;

  async function submit(): Promise<void> {
    setFailure(null);
    try {
      const grant: Grant = isOwner ? { owner: true } : { permissions: [...rights] };
      if (method === 'invite') return await invite(grant);
      const body = { ...(method === 'existing' ? { user_id: userId ?? undefined } : omitEmpty(person)), ...grant };
      const params = { [level.noun.param]: scope.id };
      const { data } = (await callEndpoint(level.create, { params, body })) as { data: { full_name: string } };
      await refreshEverything();
      showDone(`${data.full_name} is now a member of ${scope.name}.`);
      onClose();
    } catch (error) {
      setFailure(error);
    }
  }

  async function invite(grant: Grant): Promise<void> {
    const scopeBody =
      level.name === 'customer' ? {} : level.name === 'account' ? { account_id: scope.id } : { room_id: scope.id };
    const { email, ...personNames } = person;
    const { data } = await client.createInvitation({
      params: { customer_id: scope.customerId },
      body: { email, ...omitEmpty(personNames), ...scopeBody, ...grant },
    });
    await refreshEverything();
    if (data.url === null) {
      showDone(`An invitation is on its way to ${data.email}.`);
      onClose();
    } else setLink({ email: data.email, url: data.url, expiresAt: data.expires_at });
  }

  if (link !== null) return <LinkDialog title={`Invitation to ${scope.name}`} {...link} onClose={onClose} />;
  const renderInput = (name: keyof typeof person, label: string, isRequired: boolean) => (
    <TextInput
      name={name}
      label={label}
      type={name === 'email' ? 'email' : 'text'}
      required={isRequired}
      error={errorOf(name)}
      value={person[name]}
      onChange={({ currentTarget: { value } }) => setPerson((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <MemberDrawer
      title={`Add a person to ${scope.name}`}
      submitLabel={method === 'invite' ? 'Invite' : 'Add'}
      failure={failure}
      otherErrors={errorsWithoutField(
        errors,
        [...Object.keys(person), 'user_id', 'permissions'].map((name) => ({ name })),
      )}
      isDirty={
        userId !== null ||
        isOwner ||
        !isSame(rights, defaultRights[level.name]) ||
        Object.values(person).some((value) => value !== '')
      }
      canSubmit={method !== 'existing' || userId !== null}
      onClose={onClose}
      onSubmit={submit}
    >
      {methods.length > 1 && (
        <SegmentedControl
          aria-label="How to add the person"
          fullWidth
          value={method}
          data={methods}
          onChange={(next) => {
            setMethod(next);
            setFailure(null);
          }}
        />
      )}
      {method === 'existing' ? (
        <ReferencePicker
          name="user_id"
          label="User"
          description="Search by name or email."
          error={errorOf('user_id')}
          required
          prefix="user"
          value={userId}
          onChange={setUserId}
        />
      ) : (
        <>
          {renderInput('email', 'Email', true)}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {renderInput('first_name', 'First name', method === 'new')}
            {renderInput('last_name', 'Last name', method === 'new')}
          </SimpleGrid>
          <Input.Description>
            {method === 'invite'
              ? 'They get a link to choose a password. It is valid for seven days. If no mail server is set up, the link is shown to you.'
              : 'They can’t sign in until they have a password. You can send them a reset link from their page.'}
          </Input.Description>
        </>
      )}
      <RightsInput
        level={level.name}
        isOwner={isOwner}
        rights={rights}
        error={errorOf('permissions')}
        onOwner={setOwner}
        onRights={setRights}
      />
    </MemberDrawer>
  );
}

function omitEmpty(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}
