import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { readListState } from './list/list-state.ts';
import { MissingScreen } from './layout/missing-screen.tsx';
import { readReportSearch } from './reports/report-search.ts';
import { Shell } from './layout/shell.tsx';
import { DashboardScreen } from './screens/dashboard-screen.tsx';
import { DetailScreen } from './screens/detail-screen.tsx';
import { ListScreen } from './screens/list-screen.tsx';
import { OwnAccountScreen } from './screens/own-account-screen.tsx';
import { ReportsScreen } from './screens/reports-screen.tsx';
import { SettingsScreen } from './screens/settings-screen.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: MissingScreen });

const dashboard = createRoute({ getParentRoute: () => root, path: '/', component: DashboardScreen });

const settings = createRoute({ getParentRoute: () => root, path: '/settings', component: SettingsScreen });

const ownAccount = createRoute({ getParentRoute: () => root, path: '/account', component: OwnAccountScreen });

const reports = createRoute({
  getParentRoute: () => root,
  path: '/reports',
  validateSearch: readReportSearch,
  component: ReportsScreen,
});

const list = createRoute({
  getParentRoute: () => root,
  path: '/$noun',
  validateSearch: readListState,
  component: ListScreen,
});

const detail = createRoute({
  getParentRoute: () => root,
  path: '/$noun/$id',
  validateSearch: (search: Record<string, unknown>): { tab?: string } =>
    typeof search['tab'] === 'string' ? { tab: search['tab'] } : {},
  component: DetailScreen,
});

export const router = createRouter({
  routeTree: root.addChildren([dashboard, settings, ownAccount, reports, list, detail]),
  basepath: '/console',
  defaultPreload: false,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
