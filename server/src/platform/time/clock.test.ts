import { expect, test } from 'vitest';
import { fixedClock, systemClock } from './clock.ts';
import { epochMs } from './instant.ts';

test('the system clock never returns the same or an earlier instant', () => {
  const instants = Array.from({ length: 20_000 }, () => systemClock.now());
  expect(new Set(instants).size).toBe(instants.length);
  expect([...instants].sort()).toEqual(instants);
  expect(instants.every((instant) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(instant))).toBe(true);
});

test('the system clock has microseconds and follows the real time', () => {
  const before = Date.now();
  const instants = Array.from({ length: 50 }, () => systemClock.now());
  expect(instants.some((instant) => !instant.endsWith('000Z'))).toBe(true);
  expect(Math.abs(epochMs(systemClock.now()) - before)).toBeLessThan(60_000);
  expect(Math.abs(systemClock.nowMs() - before)).toBeLessThan(60_000);
});

test('a fixed clock only advances by the microsecond of each instant', () => {
  const clock = fixedClock('2026-01-31T12:00:00Z');
  expect(clock.now()).toBe('2026-01-31T12:00:00.000000Z');
  expect(clock.now()).toBe('2026-01-31T12:00:00.000001Z');
  expect(clock.nowMs()).toBe(Date.parse('2026-01-31T12:00:00Z'));
  expect(clock.after(90)).toBe('2026-01-31T12:01:30.000002Z');
  expect(clock.after(-0.5)).toBe('2026-01-31T11:59:59.500002Z');
  expect(clock.now()).toBe('2026-01-31T12:00:00.000002Z');
});

test('a fixed clock can be advanced and set', () => {
  const clock = fixedClock('2026-01-31T12:00:00Z');
  clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, ms: 5 });
  expect(clock.now()).toBe('2026-02-01T14:03:04.005000Z');
  clock.advance({ ms: 0 });
  expect(clock.now()).toBe('2026-02-01T14:03:04.005001Z');
  clock.set('2020-02-29');
  expect(clock.now()).toBe('2020-02-29T00:00:00.000000Z');
  expect(() => clock.set('yesterday')).toThrow(RangeError);
});

test('today is the day in the given time zone', () => {
  const clock = fixedClock('2026-01-01T01:30:00Z');
  expect(clock.today('UTC')).toBe('2026-01-01');
  expect(clock.today('America/Sao_Paulo')).toBe('2025-12-31');
  clock.advance({ hours: 1, minutes: 30 });
  expect(clock.today('America/Sao_Paulo')).toBe('2026-01-01');
});
