import type { EndpointName } from '@foyer/contract';
import { IconLock, IconMapOff } from '@tabler/icons-react';
import { listOf } from '../format/label.ts';
import { permissionOf } from '../api/access.table.ts';
import { LinkButton } from './links.ts';
import { NothingYet } from './notices.tsx';

export function MissingScreen() {
  return (
    <NothingYet
      title="There is nothing at this address"
      isPage
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

/** What is there, but not for whoever asks. @param needs what one has to be allowed to call, one of them at least */
export function ForbiddenScreen({ needs }: { readonly needs: readonly EndpointName[] }) {
  const permissions = needs.flatMap((name) => {
    const permission = permissionOf[name];
    return permission === undefined ? [] : [permission];
  });
  return (
    <NothingYet
      title="You may not see this"
      isPage
      icon={<IconLock stroke={1.4} />}
      action={
        <LinkButton to="/" variant="default">
          Go to the dashboard
        </LinkButton>
      }
    >
      {permissions.length === 0
        ? 'Your roles do not allow it.'
        : `It needs the permission ${listOf(permissions)}. Whoever gives out roles can let you in.`}
    </NothingYet>
  );
}
