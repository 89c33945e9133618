import { Stack, Text, UnstyledButton } from '@mantine/core';
import {
  IconBrandFacebook,
  IconBrandLinkedin,
  IconBrandTwitch,
  IconBrandYoutube,
  IconBroadcast,
} from '@tabler/icons-react';
import { useState } from 'react';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { SideDrawer } from '../../../kit/dialog/side-drawer.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { creationBody, type FormValues } from '../../../kit/form/form-values.ts';
import { ResourceForm } from '../../../kit/form/resource-form.tsx';
import { outputForm } from './output-form.ts';
import { type Platform, platformNames, platforms } from './platforms.ts';

interface Props {
  readonly roomId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const icons: Readonly<Record<Platform, typeof IconBroadcast>> = {
  youtube: IconBrandYoutube,
  facebook: IconBrandFacebook,
  twitch: IconBrandTwitch,
  linkedin: IconBrandLinkedin,
  custom: IconBroadcast,
};

/** Asks for the platform, then shows the form for an output on it. */
export function AddOutput({ roomId, isOpen, onClose }: Props) {
  const [platform, setPlatform] = useState<Platform | null>(null);

  function close(): void {
    setPlatform(null);
    onClose();
  }

  return (
    <SideDrawer
      title={
        platform === null
          ? 'Add an output'
          : `Send to ${platform === 'custom' ? 'another server' : platforms[platform].name}`
      }
      isOpen={isOpen}
      onClose={close}
    >
      {platform === null ? (
        <Stack p="xl" pt="lg" gap="sm">
          {platformNames.map((name) => (
            <PlatformCard key={name} platform={name} onChoose={() => setPlatform(name)} />
          ))}
        </Stack>
      ) : (
        <OutputForm roomId={roomId} platform={platform} onDone={close} onBack={() => setPlatform(null)} />
      )}
    </SideDrawer>
  );
}

function PlatformCard({ platform, onChoose }: { readonly platform: Platform; readonly onChoose: () => void }) {
  const { name, description } = platforms[platform];
  const Icon = icons[platform];
  return (
    <UnstyledButton className="platform-card" onClick={onChoose}>
      <Icon size={24} stroke={1.5} aria-hidden />
      <div>
        <Text fw={560}>{name}</Text>
        <Text fz="sm" c="dimmed">
          {description}
        </Text>
      </div>
    </UnstyledButton>
  );
}

function OutputForm(props: {
  readonly roomId: string;
  readonly platform: Platform;
  readonly onDone: () => void;
  readonly onBack: () => void;
}) {
  const { roomId, platform, onDone, onBack } = props;
  const form = outputForm(platform, false);
  const { name } = platforms[platform];

  async function create(values: FormValues): Promise<void> {
    const body = { name, ...creationBody(form.fields, values), platform };
    await client.createOutput({ params: { room_id: roomId }, body });
    await refreshEverything();
    showDone(`${body.name} has been added.`);
    onDone();
  }

  return (
    <ResourceForm
      {...form}
      stored={{ enabled: true, ...(platform === 'custom' ? {} : { name }) }}
      isCreation
      submitLabel="Add output"
      cancelLabel="Other platform"
      onSubmit={create}
      onCancel={onBack}
    />
  );
}
