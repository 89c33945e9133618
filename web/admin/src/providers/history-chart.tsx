import { Group, Text, Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { EndpointAnswer } from '@foyer/sdk';
import { useId, useState } from 'react';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { scaleFor, shortNumber } from '../../../kit/chart/chart-scale.ts';

export type HistoryPart = EndpointAnswer<'readServiceProviderHealth'>['data']['history'][number];

/** One bar for each interval: whether the provider answered. */
export function AvailabilityStrip({ parts }: { readonly parts: readonly HistoryPart[] }) {
  const checks = parts.reduce((sum, part) => sum + part.checks, 0);
  const failures = parts.reduce((sum, part) => sum + part.failures, 0);
  const [first] = parts;
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
        aria-label={`${checks === 0 ? 'Not checked' : checksText(checks, failures)}${failures === 0 ? '' : `: ${failingTimes(parts)}`}.`}
      >
        {parts.map((part) => (
          <Tooltip key={part.starts_at} label={describePart(part)}>
            <span className="strip-part" data-state={stateOf(part)} />
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

function stateOf({ checks, failures }: HistoryPart): string {
  if (checks === 0) return 'none';
  if (failures === 0) return 'good';
  return failures === checks ? 'bad' : 'mixed';
}

function describePart(part: HistoryPart): string {
  const at = formatShortInstant(part.starts_at);
  if (part.checks === 0) return `${at}: not checked`;
  return part.failures === 0 ? `${at}: responded every time` : `${at}: ${checksText(part.checks, part.failures)}`;
}

/** "1 check, passed", "60 checks, 2 failed". */
function checksText(checks: number, failures: number): string {
  if (checks === 1) return failures === 0 ? '1 check, passed' : '1 check, failed';
  return `${checks.toLocaleString('en-GB')} checks, ${failures === 0 ? 'none' : failures.toLocaleString('en-GB')} failed`;
}

function failingTimes(parts: readonly HistoryPart[]): string {
  const failing = parts.filter(({ failures }) => failures > 0).map(({ starts_at: at }) => formatShortInstant(at));
  return failing.length > 4 ? `${failing.slice(0, 4).join(', ')} and more` : failing.join(', ');
}

const height = 170;
const margin = { top: 10, right: 4, bottom: 24, left: 44 };

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  readonly parts: readonly HistoryPart[];
  readonly valueOf: (part: HistoryPart) => number | null;
  /** The maximum within an interval, drawn behind its value. */
  readonly maximumOf?: (part: HistoryPart) => number | null;
  readonly limit?: number | null;
}

/** A bar for each interval; intervals without a value stay empty. */
export function HistoryChart({ title, unit, parts, valueOf, maximumOf, limit = null }: ChartProps) {
  const { ref, width } = useElementSize();
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  const titleId = useId();
  const values = parts.map(valueOf);
  const measured = values.filter((value) => value !== null);
  const mosts = parts.map((part) => maximumOf?.(part) ?? null);
  const { top, ticks } = scaleFor(Math.max(0, ...measured, ...mosts.filter((value) => value !== null)));
  const plot = { width: Math.max(0, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  const slot = parts.length === 0 ? 0 : plot.width / parts.length;
  const thickness = Math.max(1.5, Math.min(26, slot * 0.7));
  const y = (value: number) => margin.top + plot.height * (1 - value / top);
  const x = (index: number) => margin.left + slot * (index + 0.5);
  const every = Math.max(1, Math.ceil(74 / Math.max(1, slot)));
  const print = (value: number) => `${value.toLocaleString('en-GB')}${unit === '' ? '' : ` ${unit}`}`;
  const pointed = pointedAt === null ? undefined : parts[pointedAt];
  const pointedValue = pointedAt === null ? null : (values[pointedAt] ?? null);
  const label = labelFor(parts);

  function bar(index: number, value: number | null, className: string) {
    if (value === null) return null;
    return (
      <rect
        className={className}
        data-pointed={pointedAt === index || undefined}
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
            : `most ${print(Math.max(...measured, ...mosts.filter((value) => value !== null)))}`}
          {limit !== null && `${measured.length === 0 ? '' : ', '}limit ${print(limit)}`}
        </Text>
      </Group>
      {measured.length === 0 && <Text className="chart-nothing">No measurements in this period.</Text>}
      <figure className="chart" hidden={measured.length === 0} ref={ref} onPointerLeave={() => setPointedAt(null)}>
        <svg width="100%" height={height} role="img" aria-labelledby={titleId}>
          <title id={titleId}>
            {measured.length === 0
              ? `${title}: no data for this period.`
              : `${title}: from ${print(Math.min(...measured))} to ${print(Math.max(...measured))}.`}
          </title>
          {ticks.map((tick) => (
            <g key={tick} aria-hidden>
              <line className="chart-line" x1={margin.left} x2={margin.left + plot.width} y1={y(tick)} y2={y(tick)} />
              <text className="chart-text" x={margin.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
                {shortNumber(tick)}
              </text>
            </g>
          ))}
          {parts.map((part, index) => (
            <g key={part.starts_at} aria-hidden onPointerEnter={() => setPointedAt(index)}>
              <rect x={x(index) - slot / 2} y={margin.top} width={slot} height={plot.height} fill="transparent" />
              {bar(index, mosts[index] ?? null, 'chart-most')}
              {bar(index, values[index] ?? null, 'chart-bar')}
              {index % every === 0 && x(index) + 30 < width && (
                <text
                  className="chart-text"
                  x={Math.max(x(index), margin.left + 12)}
                  y={height - 6}
                  textAnchor="middle"
                >
                  {label(part.starts_at)}
                </text>
              )}
            </g>
          ))}
        </svg>
        {pointed !== undefined && pointedAt !== null && (
          <div
            className="chart-tip"
            aria-hidden
            style={{ left: Math.min(Math.max(x(pointedAt), 80), Math.max(80, width - 80)), top: y(pointedValue ?? 0) }}
          >
            <strong>{pointedValue === null ? 'nothing known' : print(pointedValue)}</strong>
            <span>{formatShortInstant(pointed.starts_at)}</span>
          </div>
        )}
      </figure>
    </div>
  );
}

/** Times of day for short intervals, days for long ones. */
function labelFor(parts: readonly HistoryPart[]): (instant: string) => string {
  const [first] = parts;
  const last = parts.at(-1);
  const spanMs = first && last ? Date.parse(last.ends_at) - Date.parse(first.starts_at) : 0;
  const format = spanMs > 2 * 86_400_000 ? dayFormat : timeFormat;
  return (instant) => format.format(new Date(instant));
}

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
