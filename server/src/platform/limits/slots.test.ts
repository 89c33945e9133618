import { expect, onTestFinished, test, vi } from 'vitest';
import { createSlots } from './slots.ts';

test('at most the number of slots run concurrently for a key, all of them run eventually, and other keys do not wait', async () => {
  const slots = createSlots(3);
  const running = { a: 0, b: 0 };
  let most = 0;
  const order: number[] = [];
  const run = (key: 'a' | 'b', index: number) =>
    slots.run(key, async () => {
      running[key] += 1;
      most = Math.max(most, running[key]);
      order.push(index);
      await new Promise((resolve) => setImmediate(resolve));
      running[key] -= 1;
      if (index % 4 === 0) throw new Error('fails');
      return index;
    });
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 20 }, (_, index) => run('a', index)),
    run('b', 100),
  ]);
  expect(most).toBe(3);
  expect(order.filter((index) => index < 100)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(order.indexOf(100)).toBe(3);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(6);
  await expect(run('a', 1)).resolves.toBe(1);
});

test('without a free slot the caller is rejected or waits for a limited time; releasing a slot twice frees it once', async () => {
  const slots = createSlots(1);
  const release = slots.tryEnter('a');
  expect(release).not.toBeNull();
  expect(slots.tryEnter('a')).toBeNull();
  expect(slots.tryEnter('b')).not.toBeNull();
  await expect(slots.enter('a', 1)).rejects.toMatchObject({ code: 'busy' });
  const next = slots.enter('a', 60_000);
  release?.();
  release?.();
  const releaseNext = await next;
  expect(slots.tryEnter('a')).toBeNull();
  releaseNext();
  expect(slots.tryEnter('a')).not.toBeNull();
});

test('a waiting caller gets a slot after a pause of three times as long as the slot was in use, up to the maximum', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slots = createSlots(1, { maxPauseMs: 100 });
  let admitted = 0;
  const enter = async () => {
    const release = await slots.enter('a', 60_000);
    admitted += 1;
    return release;
  };
  const release = await enter();
  const [second, third] = [enter(), enter()];
  await vi.advanceTimersByTimeAsync(20);
  release();
  await vi.advanceTimersByTimeAsync(59);
  expect([admitted, slots.tryEnter('a')]).toEqual([1, null]);
  await vi.advanceTimersByTimeAsync(1);
  expect(admitted).toBe(2);
  await vi.advanceTimersByTimeAsync(500);
  (await second)();
  await vi.advanceTimersByTimeAsync(99);
  expect(admitted).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(admitted).toBe(3);
  (await third)();
  expect(slots.tryEnter('a')).not.toBeNull();
});
