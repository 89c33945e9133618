import { type Sandbox, startSandbox } from '@foyer/sandbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  meetingPlan,
  createTestProvider,
  failureOf,
  followRedirects,
  providerSecret,
  providerTypes,
} from './fixtures.ts';

const hourMs = 3_600_000;

describe.each(providerTypes)('%s', (providerType) => {
  async function start(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
    const typeOptions = providerType === 'scalelite' ? { scalelite: {} } : {};
    const sandbox = await startSandbox({ secrets: [providerSecret], ...typeOptions, ...options });
    onTestFinished(() => sandbox.close());
    return sandbox;
  }

  test('after a restart during a meeting every call reports it as absent, and opening it again creates a new meeting', async () => {
    const oldSandbox = await start({ now: () => Date.UTC(2025, 10, 20, 9) });
    const provider = createTestProvider(providerType, oldSandbox.url);
    const first = await provider.open(meetingPlan());
    oldSandbox.control.joinUser({ meetingID: first.meetingId, fullName: 'Anna', role: 'MODERATOR' });
    expect(await provider.isRunning(first.meetingId)).toBe(true);
    await oldSandbox.close();
    expect(await failureOf(provider.state(first.meetingId))).toMatchObject({ kind: 'unreachable' });
    const newSandbox = await start({
      port: Number(new URL(oldSandbox.url).port),
      now: () => Date.UTC(2025, 10, 20, 10),
    });
    expect(await provider.state(first.meetingId)).toMatchObject({ exists: false, running: false });
    expect(await provider.states()).toEqual([]);
    await expect(provider.end(first.meetingId)).resolves.toBeUndefined();
    const second = await provider.open(meetingPlan());
    expect(second).toMatchObject({ meetingId: first.meetingId, wasOpen: false });
    expect(second.internalId).not.toBe(first.internalId);
    expect(second.createdAtMs).toBeGreaterThan(first.createdAtMs);
    // A join address of the first meeting is not valid for the second one.
    const oldJoin = await fetch(provider.joinUrlFor(first, { userId: 'u', fullName: 'Ben', role: 'attendee' }), {
      redirect: 'manual',
    });
    expect(oldJoin.headers.get('location') ?? '').not.toContain('/html5client/join');
    expect(newSandbox.control.state().meetings.flatMap(({ users }) => users)).toEqual([]);
  });

  test('connections that a restart closed are replaced transparently', async () => {
    const oldSandbox = await start();
    const provider = createTestProvider(providerType, oldSandbox.url);
    await Promise.all(Array.from({ length: 8 }, () => provider.isRunning('demo')));
    await oldSandbox.close();
    await start({ port: Number(new URL(oldSandbox.url).port) });
    const answers = await Promise.all(Array.from({ length: 8 }, () => provider.isRunning('demo')));
    expect(answers).toEqual(Array.from({ length: 8 }, () => false));
  });

  test.each([
    ['behind', -hourMs],
    ['ahead', hourMs],
    ['years behind', -10 * 365 * 24 * hourMs],
  ])('a provider whose clock is %s works like any other provider', async (_, offsetMs) => {
    const sandbox = await start({ now: () => Date.now() + offsetMs });
    const provider = createTestProvider(providerType, sandbox.url);
    const opened = await provider.open(meetingPlan());
    expect(Math.abs(opened.createdAtMs - Date.now() - offsetMs)).toBeLessThan(60_000);
    expect(await provider.open(meetingPlan())).toEqual({ ...opened, wasOpen: true });
    const page = await followRedirects(
      provider.joinUrlFor(opened, { userId: 'u', fullName: 'Anna', role: 'moderator' }),
    );
    expect(page.pathname).toBe('/html5client/join');
    sandbox.control.joinUser({ sessionToken: page.searchParams.get('sessionToken') ?? '' });
    expect(await provider.state(opened.meetingId)).toMatchObject({ running: true, createdAtMs: opened.createdAtMs });
  });
});
