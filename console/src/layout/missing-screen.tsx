import { IconMapOff } from '@tabler/icons-react';
import { LinkButton } from './links.ts';
import { NothingYet } from './notices.tsx';

export function MissingScreen() {
  return (
    <NothingYet
      title="There is nothing at this address"
      icon={<IconMapOff stroke={1.4} />}
      action={
        <LinkButton to="/" variant="default">
          Go to the dashboard
        </LinkButton>
      }
    >
      It may have been deleted, or the link is incomplete.
    </NothingYet>
  );
}
