import type { EndpointName } from '@foyer/contract';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { createContext, type ReactNode, use, useMemo } from 'react';
import { holds, mayCall } from '../api/may-call.ts';
import type { AnyNoun } from './noun.ts';

/** The data that an app gives to the kit: its nouns, and the permissions of the caller. */
interface App {
  readonly nouns: Nouns;
  readonly permissions: readonly string[];
}

export interface Nouns {
  readonly all: readonly AnyNoun[];
  readonly findByPrefix: (prefix: IdentifierPrefix) => AnyNoun | null;
  /** The noun of a resource with this id, such as `room_…`. */
  readonly findById: (id: string) => AnyNoun | null;
  readonly findByObject: (object: string) => AnyNoun | null;
  readonly prefixOfObject: (object: string) => IdentifierPrefix | null;
}

export function indexNouns(all: readonly AnyNoun[]): Nouns {
  return {
    all,
    findByPrefix: (prefix) => all.find((noun) => noun.resource.prefix === prefix) ?? null,
    findById: (id) => all.find((noun) => id.startsWith(`${noun.resource.prefix}_`)) ?? null,
    findByObject: (object) => all.find((noun) => noun.resource.object === object) ?? null,
    prefixOfObject: (object) => all.find((noun) => noun.resource.object === object)?.resource.prefix ?? null,
  };
}

const AppContext = createContext<App | null>(null);

export function AppProvider({ nouns, permissions, children }: App & { readonly children: ReactNode }) {
  const app = useMemo(() => ({ nouns, permissions }), [nouns, permissions]);
  return <AppContext value={app}>{children}</AppContext>;
}

function useApp(): App {
  const app = use(AppContext);
  if (app === null) throw new Error('AppProvider is missing');
  return app;
}

export function useNouns(): Nouns {
  return useApp().nouns;
}

/** Whether the caller may call an endpoint. Actions that they may not call are not shown. */
export function useMay(): (name: EndpointName) => boolean {
  const { permissions } = useApp();
  return (name) => mayCall(name, permissions);
}

export function useHolds(): (permission: PermissionName) => boolean {
  const { permissions } = useApp();
  return (permission) => holds(permissions, permission);
}
