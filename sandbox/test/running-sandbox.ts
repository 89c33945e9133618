import { onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../src/index.ts';
import { type Caller, createCaller } from './signed-call.ts';

/** Starts a sandbox for one test, with a manual clock. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<{ sandbox: Sandbox; api: Caller }> {
  const sandbox = await startSandbox({ now: () => startOfTests, ...options });
  onTestFinished(() => sandbox.close());
  return { sandbox, api: createCaller(sandbox) };
}

/** Thu Nov 20 10:00:00 UTC 2025. */
export const startOfTests = Date.UTC(2025, 10, 20, 10);

/** The parameters of `create` for a meeting with passwords. */
export function demoMeeting(more: Record<string, string> = {}): Record<string, string> {
  return { meetingID: 'demo', name: 'Demo', attendeePW: 'ap', moderatorPW: 'mp', ...more };
}
