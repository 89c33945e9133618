import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSendWindows, type SendWindows } from './send-windows.ts';

function allowanceOf(windows: SendWindows, id: string): number {
  const { ids, counts } = windows.allowances();
  return counts[ids.indexOf(id)] ?? windows.initialAllowance;
}

test('the window of a webhook doubles with each success up to 64, and falls to 1 with a failure', () => {
  const windows = createSendWindows(1000);
  const sizes = [8, 16, 32, 64, 64].map(() => {
    windows.begin('one', false);
    windows.succeed('one');
    windows.end('one');
    return allowanceOf(windows, 'one');
  });
  expect(sizes).toEqual([8, 16, 32, 64, 64]);
  windows.begin('one', false);
  windows.fail('one');
  expect(allowanceOf(windows, 'one')).toBe(0);
  windows.end('one');
  expect(allowanceOf(windows, 'one')).toBe(1);
});

test('failing webhooks together get at most half of the slots', () => {
  const windows = createSendWindows(100);
  for (let index = 0; index < 200; index++) {
    windows.begin(`${index}`, false);
    windows.fail(`${index}`);
    windows.end(`${index}`);
  }
  let begun = 0;
  for (let round = 0; round < 3; round++) {
    const { ids, counts } = windows.allowances();
    ids.forEach((id, index) => {
      for (let count = 0; count < (counts[index] ?? 0); count++) {
        windows.begin(id, true);
        begun += 1;
      }
    });
  }
  expect(begun).toBe(50);
  expect(windows.freeSlots()).toBe(50);
});

test('a closed webhook gets no requests until it is reopened', () => {
  const windows = createSendWindows(10);
  windows.close('one');
  expect([allowanceOf(windows, 'one'), windows.isClosed('one')]).toEqual([0, true]);
  windows.reopen('one');
  expect([allowanceOf(windows, 'one'), windows.isClosed('one')]).toEqual([4, false]);
});

test('all slots are free when all requests have ended, in any order of successes and failures', () => {
  const step = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    act: fc.constantFrom('begin', 'succeed', 'fail', 'end'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const windows = createSendWindows(20);
      const running: string[] = [];
      for (const { id, act } of steps) {
        if (act === 'begin') {
          if (windows.freeSlots() === 0 || allowanceOf(windows, id) === 0) continue;
          windows.begin(id, false);
          running.push(id);
        } else if (running.includes(id)) {
          if (act === 'end') running.splice(running.indexOf(id), 1);
          windows[act as 'end'](id);
        }
      }
      for (const id of running) {
        windows.fail(id);
        windows.end(id);
      }
      const { counts } = windows.allowances();
      return windows.freeSlots() === 20 && counts.reduce((sum, count) => sum + count, 0) <= 3 * 64;
    }),
  );
});
