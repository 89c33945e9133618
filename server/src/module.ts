import type { FastifyInstance } from 'fastify';
import type { CacheKey } from './database/invalidation-bus.ts';
import type { EncryptedColumn } from './database/encrypted-column.ts';
import type { Dependencies } from './dependencies.ts';
import type { Reactions } from './events/reactions.ts';
import type { GaugeGroup } from './platform/gauges.ts';
import type { Route } from './platform/http/input/call.ts';
import type { NamedRelation, TenantScope, View } from './platform/list-query/view.ts';

/** Everything that a module adds to the API, the worker and the command line. */
export interface Module {
  readonly name: string;
  /** The endpoints that it serves below `/api/v1`. */
  readonly routes?: (dependencies: Dependencies) => readonly Route[];
  /** Its HTML pages, and the addresses that providers call. */
  readonly pages?: (server: FastifyInstance, dependencies: Dependencies) => void;
  readonly jobs?: Jobs;
  /** Background tasks of the worker, in addition to its jobs. */
  readonly background?: (dependencies: Dependencies) => Background;
  /** The views that print its resources in events, by resource type. */
  readonly views?: Readonly<Record<string, View<never>>>;
  /** The relations for `include`. */
  readonly relations?: readonly NamedRelation[];
  /** Conditions for the rows that users may read. */
  readonly tenantScopes?: readonly TenantScope[];
  readonly reactions?: Reactions;
  /** For the rotation of keys. */
  readonly encryptedColumns?: readonly EncryptedColumn[];
  /** The checks of `foyer doctor`. They only read. */
  readonly healthChecks?: readonly HealthCheck[];
  readonly gauges?: readonly GaugeGroup<Dependencies>[];
}

export type Jobs = Readonly<Record<string, Job>>;

/** Idempotent, and safe to run concurrently on several nodes. */
export interface Job {
  readonly description: string;
  /** In the format of crontab. */
  readonly schedule: string;
  /** The meaning of the number that a run returns, such as `events removed`. */
  readonly counted: string;
  readonly run: (dependencies: Dependencies) => Promise<number>;
  /** Also runs after this invalidation, with a delay in milliseconds. */
  readonly wakeOn?: { readonly cacheKey: CacheKey; readonly delayMs?: number };
}

export interface Background {
  /** The invalidation that wakes the task. */
  readonly wakeOn?: { readonly cacheKey: CacheKey; readonly wake: () => void };
  stop(): Promise<void>;
}

export type HealthCheck = (dependencies: Dependencies) => Promise<readonly Finding[]>;

export interface Finding {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'fault';
  readonly text: string;
}

/** The manifest of a module. `modules.ts` lists all of them. */
export function defineModule(manifest: Module): Module {
  return manifest;
}
