import type { EndpointName } from '@foyer/contract';
import { IconLock, IconMapOff } from '@tabler/icons-react';
import { listOf } from '../../format/label.ts';
import { permissionOf } from '../../api/access.table.ts';
import { LinkButton } from '../links.ts';
import { Placeholder } from './notices.tsx';

export function MissingScreen() {
  return (
    <Placeholder
      title="Page not found"
      isPage
      icon={<IconMapOff stroke={1.4} />}
      action={
        <LinkButton to="/" variant="default">
          Go to the dashboard
        </LinkButton>
      }
    >
      It may have been deleted, or the link may be incomplete.
    </Placeholder>
  );
}

/** Shown without permission. @param needs endpoints; the caller must be allowed to call one of them */
export function ForbiddenScreen({ needs }: { readonly needs: readonly EndpointName[] }) {
  const permissions = needs.flatMap((name) => {
    const permission = permissionOf[name];
    return permission === undefined ? [] : [permission];
  });
  return (
    <Placeholder
      title="You don’t have access"
      isPage
      icon={<IconLock stroke={1.4} />}
      action={
        <LinkButton to="/" variant="default">
          Go to the dashboard
        </LinkButton>
      }
    >
      {permissions.length === 0
        ? 'Your roles don’t allow this.'
        : `This page needs the permission ${listOf(permissions)}. Ask an administrator who can assign roles.`}
    </Placeholder>
  );
}
