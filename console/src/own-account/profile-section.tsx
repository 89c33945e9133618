import { Button, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { localeChoices, timeZones } from '../fields/choices.ts';
import { useSubmission } from '../form/use-submission.ts';
import { RefusalAlert } from '../layout/notices.tsx';
import { showDone } from '../layout/toasts.ts';
import type { Row } from '../nouns/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../platform.ts';
import { useCaller } from '../session/caller.tsx';
import { Section } from './section.tsx';

const members = ['first_name', 'last_name', 'locale', 'timezone'] as const;
type Profile = Record<(typeof members)[number], string>;

const formId = 'profile';

/** The user name and the email are fixed: they say who somebody is. */
export function ProfileSection() {
  const caller = useCaller();
  const stored: Profile = {
    first_name: caller.first_name,
    last_name: caller.last_name,
    locale: caller.locale,
    timezone: caller.timezone,
  };
  const [changed, setChanged] = useState<Partial<Profile>>({});
  const submission = useSubmission();
  const roles = ((caller.roles as { data?: readonly Row[] } | undefined)?.data ?? [])
    .map(nouns.roles.titleOf)
    .join(', ');
  const isChanged = members.some((name) => changed[name] !== undefined && changed[name] !== stored[name]);

  async function save(): Promise<void> {
    await client.updateCallingAdmin({ body: changed });
    await refreshEverything();
    setChanged({});
    showDone('Your profile has been saved.');
  }

  function inputOf(name: (typeof members)[number]) {
    return {
      value: changed[name] ?? stored[name],
      error: submission.faultOf(name),
      errorProps: { role: 'alert' },
    };
  }
  function change(name: (typeof members)[number], value: string): void {
    setChanged((before) => ({ ...before, [name]: value }));
  }

  return (
    <Section
      title="Profile"
      summary={
        <>
          You sign in as <b>{caller.username}</b> or with <b>{caller.email}</b>. Both stay as they are.
          {roles !== '' && <> Your roles: {roles}.</>}
        </>
      }
      foot={
        <>
          {isChanged && (
            <Button
              variant="default"
              onClick={() => {
                setChanged({});
                submission.forget();
              }}
            >
              Undo changes
            </Button>
          )}
          <Button type="submit" form={formId} loading={submission.isBusy} disabled={!isChanged}>
            Save profile
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="panel-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) submission.run(save, event.currentTarget);
        }}
      >
        <Stack>
          <RefusalAlert error={submission.strayFailure(...members)} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label="First name"
              autoComplete="given-name"
              {...inputOf('first_name')}
              onChange={(event) => change('first_name', event.currentTarget.value)}
            />
            <TextInput
              label="Last name"
              autoComplete="family-name"
              {...inputOf('last_name')}
              onChange={(event) => change('last_name', event.currentTarget.value)}
            />
            <Select
              label="Language"
              description="Of emails and of what the platform answers."
              data={localeChoices(stored.locale)}
              searchable
              allowDeselect={false}
              limit={60}
              nothingFoundMessage="Nothing found"
              {...inputOf('locale')}
              onChange={(value) => change('locale', value ?? stored.locale)}
            />
            <Select
              label="Time zone"
              description="Where you are."
              data={zones()}
              searchable
              allowDeselect={false}
              limit={60}
              nothingFoundMessage="Nothing found"
              {...inputOf('timezone')}
              onChange={(value) => change('timezone', value ?? stored.timezone)}
            />
          </SimpleGrid>
        </Stack>
      </form>
    </Section>
  );
}

let known: ReturnType<typeof timeZones> | undefined;

/** The list is long, and does not change. */
function zones(): ReturnType<typeof timeZones> {
  return (known ??= timeZones());
}
