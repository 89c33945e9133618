import { type ComponentType, lazy } from 'react';
import { loadWhenReachable } from '../api/reachability.ts';
import { ScreenFailure } from './notices/screen-failure.tsx';

/** A component whose code is loaded when it is first shown. If that fails, a notice with a reload button is shown. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(async () => ({
    default: await loadWhenReachable(load).catch(() => ScreenFailure),
  }));
}
