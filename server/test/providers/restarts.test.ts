import { type Sandbox, startSandbox } from '@foyer/sandbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import { meetingPlan, createTestProvider, failureOf, follow, providerSecret, providerTypes } from './fixtures.ts';

const hourMs = 3_600_000;

describe.each(providerTypes)('%s', (providerType) => {
  async function start(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
    const behind = providerType === 'scalelite' ? { scalelite: {} } : {};
    const sandbox = await startSandbox({ secrets: [providerSecret], ...behind, ...options });
    onTestFinished(() => sandbox.close());
    return sandbox;
  }

  test('a restart during a meeting ends it for every call, and opening it again creates another one', async () => {
    const before = await start({ now: () => Date.UTC(2025, 10, 20, 9) });
    const provider = createTestProvider(providerType, before.url);
    const first = await provider.open(meetingPlan());
    before.control.joinUser({ meetingID: first.meetingId, fullName: 'Anna', role: 'MODERATOR' });
    expect(await provider.isRunning(first.meetingId)).toBe(true);
    await before.close();
    expect(await failureOf(provider.state(first.meetingId))).toMatchObject({ kind: 'unreachable' });
    const after = await start({ port: Number(new URL(before.url).port), now: () => Date.UTC(2025, 10, 20, 10) });
    expect(await provider.state(first.meetingId)).toMatchObject({ exists: false, running: false });
    expect(await provider.states()).toEqual([]);
    await expect(provider.end(first.meetingId)).resolves.toBeUndefined();
    const second = await provider.open(meetingPlan());
    expect(second).toMatchObject({ meetingId: first.meetingId, wasOpen: false });
    expect(second.internalId).not.toBe(first.internalId);
    expect(second.createdAtMs).toBeGreaterThan(first.createdAtMs);
    // A join address of the first meeting is not valid for the second one.
    const old = await fetch(provider.joinUrlFor(first, { userId: 'u', fullName: 'Ben', role: 'attendee' }), {
      redirect: 'manual',
    });
    expect(old.headers.get('location') ?? '').not.toContain('/html5client/join');
    expect(after.control.state().meetings.flatMap(({ users }) => users)).toEqual([]);
  });

  test('connections that a restart closed are replaced transparently', async () => {
    const before = await start();
    const provider = createTestProvider(providerType, before.url);
    await Promise.all(Array.from({ length: 8 }, () => provider.isRunning('demo')));
    await before.close();
    await start({ port: Number(new URL(before.url).port) });
    const answers = await Promise.all(Array.from({ length: 8 }, () => provider.isRunning('demo')));
    expect(answers).toEqual(Array.from({ length: 8 }, () => false));
  });

  test.each([
    ['behind', -hourMs],
    ['ahead', hourMs],
    ['years behind', -10 * 365 * 24 * hourMs],
  ])('a provider whose clock is %s works like any other', async (_, offsetMs) => {
    const sandbox = await start({ now: () => Date.now() + offsetMs });
    const provider = createTestProvider(providerType, sandbox.url);
    const opened = await provider.open(meetingPlan());
    expect(Math.abs(opened.createdAtMs - Date.now() - offsetMs)).toBeLessThan(60_000);
    expect(await provider.open(meetingPlan())).toEqual({ ...opened, wasOpen: true });
    const page = await follow(provider.joinUrlFor(opened, { userId: 'u', fullName: 'Anna', role: 'moderator' }));
    expect(page.pathname).toBe('/html5client/join');
    sandbox.control.joinUser({ sessionToken: page.searchParams.get('sessionToken') ?? '' });
    expect(await provider.state(opened.meetingId)).toMatchObject({ running: true, createdAtMs: opened.createdAtMs });
  });
});
