import { Group, Text, Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { EndpointAnswer } from '@foyer/sdk';
import { useId, useState } from 'react';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { scaleFor, shortNumber } from '../../../kit/chart/chart-scale.ts';

export type HistoryInterval = EndpointAnswer<'readServiceProviderHealth'>['data']['history'][number];

/** One bar for each interval, colored by the results of its checks. */
export function AvailabilityStrip({ intervals }: { readonly intervals: readonly HistoryInterval[] }) {
  const checks = intervals.reduce((sum, interval) => sum + interval.checks, 0);
  const failures = intervals.reduce((sum, interval) => sum + interval.failures, 0);
  const [first] = intervals;
  return (
    <div>
      <Group justify="space-between" mb={6} gap="xs">
        <Text fw={560}>Availability</Text>
        <Text fz="sm" c="dimmed">
          {checks === 0 ? 'not checked' : checksText(checks, failures)}
        </Text>
      </Group>
      <div
        className="strip"
        role="img"
        aria-label={`${checks === 0 ? 'Not checked' : checksText(checks, failures)}${failures === 0 ? '' : `: ${failingTimes(intervals)}`}.`}
      >
        {intervals.map((interval) => (
          <Tooltip key={interval.starts_at} label={describeInterval(interval)}>
            <span className="strip-part" data-state={stateOf(interval)} />
          </Tooltip>
        ))}
      </div>
      <Group justify="space-between" mt={4}>
        <Text fz="xs" c="dimmed">
          {first && formatShortInstant(first.starts_at)}
        </Text>
        <Text fz="xs" c="dimmed">
          now
        </Text>
      </Group>
    </div>
  );
}

function stateOf({ checks, failures }: HistoryInterval): string {
  if (checks === 0) return 'none';
  if (failures === 0) return 'good';
  return failures === checks ? 'bad' : 'mixed';
}

function describeInterval(interval: HistoryInterval): string {
  const at = formatShortInstant(interval.starts_at);
  if (interval.checks === 0) return `${at}: not checked`;
  return interval.failures === 0
    ? `${at}: responded every time`
    : `${at}: ${checksText(interval.checks, interval.failures)}`;
}

/** "1 check, passed", "60 checks, 2 failed". */
function checksText(checks: number, failures: number): string {
  if (checks === 1) return failures === 0 ? '1 check, passed' : '1 check, failed';
  return `${checks.toLocaleString('en-GB')} checks, ${failures === 0 ? 'none' : failures.toLocaleString('en-GB')} failed`;
}

function failingTimes(intervals: readonly HistoryInterval[]): string {
  const failing = intervals.filter(({ failures }) => failures > 0).map(({ starts_at: at }) => formatShortInstant(at));
  return failing.length > 4 ? `${failing.slice(0, 4).join(', ')} and more` : failing.join(', ');
}

const height = 170;
const margin = { top: 10, right: 4, bottom: 24, left: 44 };

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  readonly intervals: readonly HistoryInterval[];
  readonly valueOf: (interval: HistoryInterval) => number | null;
  /** The maximum within an interval, drawn behind its value. */
  readonly maximumOf?: (interval: HistoryInterval) => number | null;
  readonly limit?: number | null;
}

/** A bar for each interval; intervals without a value stay empty. */
export function HistoryChart({ title, unit, intervals, valueOf, maximumOf, limit = null }: ChartProps) {
  const { ref, width } = useElementSize();
  const [hoveredIndex, setHoveredIndex] = useState<number | null>(null);
  const titleId = useId();
  const values = intervals.map(valueOf);
  const measured = values.filter((value) => value !== null);
  const maxima = intervals.map((interval) => maximumOf?.(interval) ?? null);
  const { top, ticks } = scaleFor(Math.max(0, ...measured, ...maxima.filter((value) => value !== null)));
  const plot = { width: Math.max(0, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  const slot = intervals.length === 0 ? 0 : plot.width / intervals.length;
  const thickness = Math.max(1.5, Math.min(26, slot * 0.7));
  const y = (value: number) => margin.top + plot.height * (1 - value / top);
  const x = (index: number) => margin.left + slot * (index + 0.5);
  const labelEvery = Math.max(1, Math.ceil(74 / Math.max(1, slot)));
  const formatValue = (value: number) => `${value.toLocaleString('en-GB')}${unit === '' ? '' : ` ${unit}`}`;
  const hovered = hoveredIndex === null ? undefined : intervals[hoveredIndex];
  const hoveredValue = hoveredIndex === null ? null : (values[hoveredIndex] ?? null);
  const label = labelFor(intervals);

  function bar(index: number, value: number | null, className: string) {
    if (value === null) return null;
    return (
      <rect
        className={className}
        data-pointed={hoveredIndex === index || undefined}
        x={x(index) - thickness / 2}
        y={y(value)}
        width={thickness}
        height={Math.max(value > 0 ? 1.5 : 0, margin.top + plot.height - y(value))}
        rx={Math.min(2.5, thickness / 3)}
      />
    );
  }

  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text fw={560}>{title}</Text>
        <Text fz="sm" c="dimmed">
          {measured.length === 0
            ? ''
            : `maximum ${formatValue(Math.max(...measured, ...maxima.filter((value) => value !== null)))}`}
          {limit !== null && `${measured.length === 0 ? '' : ', '}limit ${formatValue(limit)}`}
        </Text>
      </Group>
      {measured.length === 0 && <Text className="chart-nothing">No measurements in this period.</Text>}
      <figure className="chart" hidden={measured.length === 0} ref={ref} onPointerLeave={() => setHoveredIndex(null)}>
        <svg width="100%" height={height} role="img" aria-labelledby={titleId}>
          <title id={titleId}>
            {measured.length === 0
              ? `${title}: no data for this period.`
              : `${title}: from ${formatValue(Math.min(...measured))} to ${formatValue(Math.max(...measured))}.`}
          </title>
          {ticks.map((tick) => (
            <g key={tick} aria-hidden>
              <line className="chart-line" x1={margin.left} x2={margin.left + plot.width} y1={y(tick)} y2={y(tick)} />
              <text className="chart-text" x={margin.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
                {shortNumber(tick)}
              </text>
            </g>
          ))}
          {intervals.map((interval, index) => (
            <g key={interval.starts_at} aria-hidden onPointerEnter={() => setHoveredIndex(index)}>
              <rect x={x(index) - slot / 2} y={margin.top} width={slot} height={plot.height} fill="transparent" />
              {bar(index, maxima[index] ?? null, 'chart-most')}
              {bar(index, values[index] ?? null, 'chart-bar')}
              {index % labelEvery === 0 && x(index) + 30 < width && (
                <text
                  className="chart-text"
                  x={Math.max(x(index), margin.left + 12)}
                  y={height - 6}
                  textAnchor="middle"
                >
                  {label(interval.starts_at)}
                </text>
              )}
            </g>
          ))}
        </svg>
        {hovered !== undefined && hoveredIndex !== null && (
          <div
            className="chart-tip"
            aria-hidden
            style={{
              left: Math.min(Math.max(x(hoveredIndex), 80), Math.max(80, width - 80)),
              top: y(hoveredValue ?? 0),
            }}
          >
            <strong>{hoveredValue === null ? 'no data' : formatValue(hoveredValue)}</strong>
            <span>{formatShortInstant(hovered.starts_at)}</span>
          </div>
        )}
      </figure>
    </div>
  );
}

/** Times of day for short intervals, days for long ones. */
function labelFor(intervals: readonly HistoryInterval[]): (instant: string) => string {
  const [first] = intervals;
  const last = intervals.at(-1);
  const spanMs = first && last ? Date.parse(last.ends_at) - Date.parse(first.starts_at) : 0;
  const format = spanMs > 2 * 86_400_000 ? dayFormat : timeFormat;
  return (instant) => format.format(new Date(instant));
}

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
