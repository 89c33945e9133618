import { expect, test } from 'vitest';
import { periodLabel, periodsBetween, scaleFor, shortNumber } from '../../kit/chart/chart-scale.ts';
import { readReportSearch, presetRanges } from '../src/reports/report-search.ts';

test('the axis of a chart ends at a round figure above every bar', () => {
  for (const largest of [1, 3, 4, 7, 12, 99, 100, 101, 4321, 1_000_000]) {
    const { top, ticks } = scaleFor(largest);
    expect(top).toBeGreaterThanOrEqual(largest);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect([ticks[0], ticks.at(-1)]).toEqual([0, top]);
  }
  expect(scaleFor(0)).toEqual({ top: 1, ticks: [0, 1] });
  expect(scaleFor(3).ticks).toEqual([0, 1, 2, 3]);
  expect([950, 1200, 3_400_000].map(shortNumber)).toEqual(['950', '1.2k', '3.4M']);
});

test('a chart has every day and month between two days, over leap days and the ends of years', () => {
  expect(periodsBetween('2028-02-27', '2028-03-01', 'day')).toEqual([
    '2028-02-27',
    '2028-02-28',
    '2028-02-29',
    '2028-03-01',
  ]);
  expect(periodsBetween('2026-11-15', '2027-01-03', 'month')).toEqual(['2026-11', '2026-12', '2027-01']);
  expect([periodLabel('2026-03-14'), periodLabel('2026-03')]).toEqual(['14 Mar', 'Mar 2026']);
});

test('the preset ranges end today or with the last month, and are as long as their name says', () => {
  const ranges = Object.fromEntries(presetRanges('2026-03-14').map(({ key, from, to }) => [key, [from, to]]));
  expect(ranges).toEqual({
    '30': ['2026-02-13', '2026-03-14'],
    month: ['2026-03-01', '2026-03-14'],
    last: ['2026-02-01', '2026-02-28'],
    '12': ['2025-04-01', '2026-03-14'],
  });
});

test('a report ignores invalid parameters in the address', () => {
  expect(
    readReportSearch({
      report: 'subscriptions',
      from: '2026-03-01',
      by: 'year',
      within: '14',
      customer: 'cust_1',
      x: 1,
    }),
  ).toEqual({ report: 'subscriptions', from: '2026-03-01', within: 14, customer: 'cust_1' });
  expect(readReportSearch({ from: 'yesterday', group: 'planet', currency: 'euro', within: 9000 })).toEqual({});
});
