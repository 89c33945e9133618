/** The platform's color, adjusted until it has enough contrast in light and in dark mode. */
export function brandStyle(color: string): string {
  const brand = parse(color);
  return `${printTheme(':root', brand, lightCard, black)}
@media (prefers-color-scheme: dark) {
${printTheme(':root', brand, darkCard, white)}
}
`;
}

/** Colors for mails, which have no style sheet: a button with its text, and links on light and dark ground. */
export function mailColors(color: string): { accent: string; ink: string; text: string; darkText: string } {
  const brand = parse(color);
  const { button, ink, text } = computeShades(brand, lightCard, black);
  return {
    accent: print(button),
    ink: print(ink),
    text: print(text),
    darkText: print(computeShades(brand, darkCard, white).text),
  };
}

type Rgb = readonly [number, number, number];

const white: Rgb = [255, 255, 255];
const black: Rgb = [20, 18, 24];
const lightCard: Rgb = white;
const darkCard: Rgb = [33, 29, 36];

function printTheme(selector: string, brand: Rgb, card: Rgb, target: Rgb): string {
  const { button, ink, text } = computeShades(brand, card, target);
  return `${selector} { --brand: ${print(brand)}; --accent: ${print(button)}; --accent-ink: ${print(ink)}; --accent-text: ${print(text)}; }`;
}

function computeShades(brand: Rgb, card: Rgb, target: Rgb): { button: Rgb; ink: Rgb; text: Rgb } {
  const ink = contrast(brand, white) >= contrast(brand, black) ? white : black;
  return {
    button: ensureContrast(brand, ink, ink === white ? black : white, 4.6),
    ink,
    text: ensureContrast(brand, card, target, 4.8),
  };
}

/** Mixes the color with `target` until its contrast with the ground has the ratio (WCAG). */
function ensureContrast(color: Rgb, ground: Rgb, target: Rgb, ratio: number): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, target, share);
    if (contrast(mixed, ground) >= ratio) return mixed;
  }
  return target;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const mixChannel = (index: 0 | 1 | 2) => Math.round(one[index] * (1 - share) + other[index] * share);
  return [mixChannel(0), mixChannel(1), mixChannel(2)];
}

function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number) => {
    const share = channel / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function parse(color: string): Rgb {
  const parseChannel = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [parseChannel(1), parseChannel(3), parseChannel(5)];
}

function print(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
