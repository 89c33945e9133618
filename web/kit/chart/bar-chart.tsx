import { useElementSize } from '@mantine/hooks';
import { useId, useState } from 'react';
import { periodLabel, scaleFor, shortNumber } from './chart-scale.ts';

export interface Bar {
  readonly period: string;
  readonly value: number;
}

interface Props {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly print: (value: number) => string;
}

const height = 220;
const margin = { top: 14, right: 6, bottom: 26, left: 46 };

/** One bar per day or month. A table shows the same figures. */
export function BarChart({ title, bars, print }: Props) {
  const { ref, width } = useElementSize();
  const [hoveredIndex, setHoveredIndex] = useState<number | null>(null);
  const titleId = useId();
  const { top, ticks } = scaleFor(Math.max(0, ...bars.map(({ value }) => value)));
  const plot = { width: Math.max(0, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  const slot = bars.length === 0 ? 0 : plot.width / bars.length;
  const thickness = Math.max(1, Math.min(34, slot * 0.68));
  const y = (value: number) => margin.top + plot.height * (1 - value / top);
  const x = (index: number) => margin.left + slot * (index + 0.5);
  const labelInterval = Math.max(1, Math.ceil(58 / Math.max(1, slot)));
  const hoveredBar = hoveredIndex === null ? undefined : bars[hoveredIndex];
  return (
    <figure className="chart" ref={ref} onPointerLeave={() => setHoveredIndex(null)}>
      <svg width="100%" height={height} role="img" aria-labelledby={titleId}>
        <title id={titleId}>{describe(title, bars, print)}</title>
        {ticks.map((tick) => (
          <g key={tick} aria-hidden>
            <line className="chart-line" x1={margin.left} x2={margin.left + plot.width} y1={y(tick)} y2={y(tick)} />
            <text className="chart-text" x={margin.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {shortNumber(tick)}
            </text>
          </g>
        ))}
        {bars.map(({ period, value }, index) => (
          <g key={period} aria-hidden onPointerEnter={() => setHoveredIndex(index)}>
            <rect x={x(index) - slot / 2} y={margin.top} width={slot} height={plot.height} fill="transparent" />
            <rect
              className="chart-bar"
              data-pointed={hoveredIndex === index || undefined}
              x={x(index) - thickness / 2}
              y={y(value)}
              width={thickness}
              height={Math.max(value > 0 ? 1.5 : 0, margin.top + plot.height - y(value))}
              rx={Math.min(3, thickness / 3)}
            />
            {index % labelInterval === 0 && x(index) + 22 < width && (
              <text className="chart-text" x={x(index)} y={height - 7} textAnchor="middle">
                {periodLabel(period)}
              </text>
            )}
          </g>
        ))}
      </svg>
      {hoveredBar !== undefined && hoveredIndex !== null && (
        <div
          className="chart-tip"
          aria-hidden
          style={{ left: Math.min(Math.max(x(hoveredIndex), 70), Math.max(70, width - 70)), top: y(hoveredBar.value) }}
        >
          <strong>{print(hoveredBar.value)}</strong>
          <span>{periodLabel(hoveredBar.period, true)}</span>
        </div>
      )}
    </figure>
  );
}

function describe(title: string, bars: readonly Bar[], print: (value: number) => string): string {
  const highest = bars.reduce<Bar | null>((best, bar) => (best === null || bar.value > best.value ? bar : best), null);
  if (highest === null || highest.value === 0) return `${title}: no data in this period.`;
  return `${title}, ${bars.length} bars. The highest is ${print(highest.value)}, ${periodLabel(highest.period, true)}.`;
}
