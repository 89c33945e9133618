import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { loadWhenReachable } from '../../kit/api/reachability.ts';
import { readListState } from '../../kit/list/list-state.ts';
import { MissingScreen } from '../../kit/display/notices/missing-screen.tsx';
import { LoadingNotice } from '../../kit/display/notices/notices.tsx';
import { ScreenFailure } from '../../kit/display/notices/screen-failure.tsx';
import { readReportSearch } from './reports/report-search.ts';
import { Shell } from './shell/shell.tsx';
import { DashboardScreen } from './dashboard/dashboard-screen.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: MissingScreen });

const dashboard = createRoute({ getParentRoute: () => root, path: '/', component: DashboardScreen });

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: readTab,
  component: lazyRouteComponent(
    () => loadWhenReachable(() => import('./settings/settings-screen.tsx')),
    'SettingsScreen',
  ),
});

const ownAccount = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(
    () => loadWhenReachable(() => import('./own-account/own-account-screen.tsx')),
    'OwnAccountScreen',
  ),
});

const reports = createRoute({
  getParentRoute: () => root,
  path: '/reports',
  validateSearch: readReportSearch,
  component: lazyRouteComponent(() => loadWhenReachable(() => import('./reports/reports-screen.tsx')), 'ReportsScreen'),
});

const list = createRoute({
  getParentRoute: () => root,
  path: '/$noun',
  validateSearch: readListState,
  component: lazyRouteComponent(() => loadWhenReachable(() => import('./resource/list-screen.tsx')), 'ListScreen'),
});

const detail = createRoute({
  getParentRoute: () => root,
  path: '/$noun/$id',
  validateSearch: readTab,
  component: lazyRouteComponent(() => loadWhenReachable(() => import('./resource/detail-screen.tsx')), 'DetailScreen'),
});

function readTab({ tab }: Record<string, unknown>): { tab?: string } {
  return typeof tab === 'string' ? { tab } : {};
}

export const router = createRouter({
  routeTree: root.addChildren([dashboard, settings, ownAccount, reports, list, detail]),
  basepath: '/console',
  defaultPreload: false,
  defaultPendingComponent: LoadingNotice,
  defaultErrorComponent: ScreenFailure,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
