import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomName } from './api/joining/random-name.ts';
import { createCallLog } from './call-log.ts';
import { type SandboxControl, createControl } from './control/control.ts';
import { createFaultList } from './faults.ts';
import { createListener } from './listener.ts';
import { type ScaleliteOptions, createBalancer } from './scalelite/balancer.ts';
import { maxHeaderBytes } from './scalelite/web-server.ts';
import type { HookSignature } from './world/callbacks/hook.ts';
import { createCallbackSender } from './world/callbacks/callbacks.ts';
import { createClock } from './world/clock.ts';
import { runDueTasks } from './world/ending.ts';
import { closeInactivePages } from './world/attendance.ts';
import type { FormatType } from './world/recording.ts';
import { createMeetingTable } from './world/meeting-table.ts';
import { type World, listExistingMeetings } from './world/world.ts';
import type { SandboxLogger } from './world/logger.ts';

export type { AnnounceEventRequest, JoinUserRequest, SandboxControl, UserChoice } from './control/control.ts';
export type { PlantRecordingRequest } from './control/recording-control.ts';
export type { Callback, CallbackDisturbance, CallbackKind } from './world/callbacks/callbacks.ts';
export type { Hook, HookSignature } from './world/callbacks/hook.ts';
export type { FormatType, RecordingState } from './world/recording.ts';
export type { MeetingState, RecordingSummary, SandboxState, UserState } from './control/state.ts';
export type { LoggedCall } from './call-log.ts';
export type { Fault, FaultKind, FaultRequest } from './faults.ts';
export type { ScaleliteOptions, ServerState } from './scalelite/balancer.ts';
export type { SandboxLogger } from './world/logger.ts';

export interface SandboxOptions {
  /** 0, the default, takes any free port. */
  port?: number;
  /** 127.0.0.1 by default. */
  host?: string;
  /** Accepts each of these secrets. `sandbox-secret` by default. */
  secrets?: readonly string[];
  /** Silent by default. */
  logger?: SandboxLogger;
  /** The source of the clock, in milliseconds since 1970. */
  now?: () => number;
  /** Like the server property of the same name; true by default. */
  authenticatedGuest?: boolean;
  /** Like the server property of the same name: sessions of one external user id in a meeting; 3 by default, 0: no limit. */
  maxUserConcurrentAccesses?: number;
  /** The formats of a recording: `['presentation']` by default. */
  recordingFormats?: readonly FormatType[];
  /** Whether a recording is published once it has been processed; true by default. */
  publishesRecordings?: boolean;
  /** Whether the server supports `hooks/*`, which need a separate program; true by default. */
  hasHooks?: boolean;
  /** Simulates a Scalelite in front of the server. */
  scalelite?: ScaleliteOptions | undefined;
  /** How hooks are signed; `sha1` by default, as on a plain server. */
  hookSignature?: HookSignature;
}

export interface Sandbox {
  /** Without a slash at the end. */
  url: string;
  /** The base of the API: `url` and `/bigbluebutton/api`. */
  apiUrl: string;
  /** The first secret. */
  secret: string;
  control: SandboxControl;
  /** Closes the server and all its connections. */
  close(): Promise<void>;
}

/** Starts a server with its state in memory. Rejects with the system's error if it cannot listen. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', secrets = ['sandbox-secret'] } = options;
  const [secret] = secrets;
  if (!secret) throw new TypeError('A sandbox needs a secret.');
  const closing = new AbortController();
  const world = createWorld({ ...options, host }, secrets, closing.signal);
  const control = createControl(world);
  const maxHeaderSize = options.scalelite ? { maxHeaderSize: maxHeaderBytes } : {};
  const server = createServer({ keepAliveTimeout: 5_000, ...maxHeaderSize });
  server.on('request', createListener(world, control, { requiresSecret: !isLoopback(host) }));
  server.listen(port, host);
  await once(server, 'listening');
  const timer = setInterval(() => {
    for (const meeting of listExistingMeetings(world)) {
      closeInactivePages(meeting, world.clock.now(), performance.now());
    }
    runDueTasks(world);
  }, tickMs).unref();
  const url = originOf(server.address() as AddressInfo);
  return {
    url,
    apiUrl: `${url}/bigbluebutton/api`,
    secret,
    control,
    async close() {
      if (closing.signal.aborted) return;
      clearInterval(timer);
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const tickMs = 1_000;

function createWorld(options: SandboxOptions, secrets: readonly string[], closing: AbortSignal): World {
  const clock = createClock(options.now);
  const logger = options.logger ?? silentLogger;
  return {
    clock,
    logger,
    secrets,
    balancer: options.scalelite ? createBalancer(options.scalelite, randomName(40)) : null,
    hasHooks: options.hasHooks ?? true,
    authenticatedGuest: options.authenticatedGuest ?? true,
    maxUserConcurrentAccesses: options.maxUserConcurrentAccesses ?? 3,
    meetings: createMeetingTable(),
    taskFreeInterval: { since: 0, until: 0 },
    recordings: [],
    recordingFormats: options.recordingFormats ?? ['presentation'],
    publishesRecordings: options.publishesRecordings ?? true,
    hooks: new Map(),
    hookSignature: options.hookSignature ?? 'sha1',
    domain: options.host ?? '127.0.0.1',
    callbacks: createCallbackSender({ clock, logger, secret: secrets[0] ?? '' }, closing),
    faults: createFaultList(),
    calls: createCallLog(),
    closing,
  };
}

const silentLogger: SandboxLogger = { info() {}, warn() {}, error() {} };

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function originOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
