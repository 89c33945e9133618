import { FoyerError } from '@foyer/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ComponentType, Suspense } from 'react';
import { columnsOf, includesOf } from '../../../kit/list/columns.ts';
import { ForbiddenScreen, MissingScreen } from '../../../kit/display/notices/missing-screen.tsx';
import { lazyPart } from '../../../kit/display/lazy-part.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { nounAt, nounIndex } from '../nouns/nouns.ts';
import { resourceOf } from '../../../kit/noun/resource-of.ts';
import { callEndpoint } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from './screen-props.ts';

const screens: Readonly<Record<string, ComponentType<ScreenProps<never>>>> = {
  accounts: lazyPart(async () => (await import('../accounts/account-screen.tsx')).AccountScreen),
  admins: lazyPart(async () => (await import('../admins/admin-screen.tsx')).AdminScreen),
  'audit-log': lazyPart(async () => (await import('../audit/audit-entry-screen.tsx')).AuditEntryScreen),
  customers: lazyPart(async () => (await import('../customers/customer-screen.tsx')).CustomerScreen),
  mails: lazyPart(async () => (await import('../mails/mail-screen.tsx')).MailScreen),
  events: lazyPart(async () => (await import('../events/event-screen.tsx')).EventScreen),
  meetings: lazyPart(async () => (await import('../meetings/meeting-screen.tsx')).MeetingScreen),
  recordings: lazyPart(async () => (await import('../recordings/recording-screen.tsx')).RecordingScreen),
  'oauth-clients': lazyPart(async () => (await import('../oauth-clients/oauth-client-screen.tsx')).OauthClientScreen),
  roles: lazyPart(async () => (await import('../roles/role-screen.tsx')).RoleScreen),
  rooms: lazyPart(async () => (await import('../rooms/room-screen.tsx')).RoomScreen),
  'service-packages': lazyPart(
    async () => (await import('../packages/service-package-screen.tsx')).ServicePackageScreen,
  ),
  'service-providers': lazyPart(
    async () => (await import('../providers/service-provider-screen.tsx')).ServiceProviderScreen,
  ),
  subscriptions: lazyPart(async () => (await import('../subscriptions/subscription-screen.tsx')).SubscriptionScreen),
  users: lazyPart(async () => (await import('../people/user-screen.tsx')).UserScreen),
  webhooks: lazyPart(async () => (await import('../webhooks/webhook-screen.tsx')).WebhookScreen),
  videos: lazyPart(async () => (await import('../videos/video-screen.tsx')).VideoScreen),
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
  const include = [includesOf(columnsOf(resourceOf(noun), nounIndex.prefixOfObject)), extraIncludes[noun.path]]
    .filter(Boolean)
    .join(',');
  const result = useQuery({
    queryKey: [noun.read, id, include],
    queryFn: ({ signal }) =>
      callEndpoint(noun.read, {
        params: { [noun.param]: id },
        ...(include === '' ? {} : { query: { include } }),
        signal,
      }) as Promise<{ data: Row }>,
  });
  const Screen = screens[noun.path] as ComponentType<ScreenProps<Row>> | undefined;
  if (result.data && Screen) {
    return (
      <Suspense fallback={<LoadingNotice />}>
        <Screen row={result.data.data} />
      </Suspense>
    );
  }
  if (result.error instanceof FoyerError && result.error.status === 404) return <MissingScreen />;
  if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
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
