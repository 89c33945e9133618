import { FoyerError } from '@foyer/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { columnsOf, includesOf } from '../fields/columns.ts';
import { ForbiddenScreen, MissingScreen } from '../layout/missing-screen.tsx';
import { FailureNotice, LoadingNotice } from '../layout/notices.tsx';
import type { Noun, Row } from '../nouns/noun.ts';
import { nounAt, prefixOfObject } from '../nouns/nouns.ts';
import { callEndpoint } from '../platform.ts';
import { useMay } from '../session/caller.tsx';
import { AccountScreen } from './account-screen.tsx';
import { AdminScreen } from './admin-screen.tsx';
import { AuditEntryScreen } from './audit-entry-screen.tsx';
import { CustomerScreen } from './customer-screen.tsx';
import { MeetingScreen } from './meeting-screen.tsx';
import { OauthClientScreen } from './oauth-client-screen.tsx';
import { RecordingScreen } from './recording-screen.tsx';
import { RoleScreen } from './role-screen.tsx';
import { RoomScreen } from './room-screen.tsx';
import { ServicePackageScreen } from './service-package-screen.tsx';
import { ServiceProviderScreen } from './service-provider-screen.tsx';
import { SubscriptionScreen } from './subscription-screen.tsx';
import { UserScreen } from './user-screen.tsx';

export interface ScreenProps {
  readonly row: Row;
}

const screens: Readonly<Record<string, ComponentType<ScreenProps>>> = {
  accounts: AccountScreen,
  admins: AdminScreen,
  'audit-log': AuditEntryScreen,
  customers: CustomerScreen,
  meetings: MeetingScreen,
  recordings: RecordingScreen,
  'oauth-clients': OauthClientScreen,
  roles: RoleScreen,
  rooms: RoomScreen,
  'service-packages': ServicePackageScreen,
  'service-providers': ServiceProviderScreen,
  subscriptions: SubscriptionScreen,
  users: UserScreen,
};

export function DetailScreen() {
  const { noun: path, id } = useParams({ from: '/$noun/$id' });
  const noun = nounAt(path);
  const may = useMay();
  if (noun === null) return <MissingScreen />;
  if (!may(noun.read)) return <ForbiddenScreen needs={[noun.read]} />;
  return <NounDetail key={`${path}/${id}`} noun={noun} id={id} />;
}

function NounDetail({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  const include = [includesOf(columnsOf(noun.resource, prefixOfObject)), extraIncludes[noun.path]]
    .filter(Boolean)
    .join(',');
  const found = useQuery({
    queryKey: [noun.read, id, include],
    queryFn: ({ signal }) =>
      callEndpoint(noun.read, {
        params: { [noun.param]: id },
        ...(include === '' ? {} : { query: { include } }),
        signal,
      }) as Promise<{ data: Row }>,
  });
  const Screen = screens[noun.path];
  if (found.data && Screen) return <Screen row={found.data.data} />;
  if (found.error instanceof FoyerError && found.error.status === 404) return <MissingScreen />;
  if (found.error) return <FailureNotice error={found.error} onRetry={() => void found.refetch()} />;
  return <LoadingNotice />;
}

const extraIncludes: Readonly<Record<string, string>> = {
  admins: 'roles',
  customers: 'owner',
  'service-packages': 'features,providers',
  roles: 'permissions,admins',
  users: 'customers,accounts,rooms',
  'service-providers': 'packages,subscriptions',
};
