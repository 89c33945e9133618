/** The platform's color, adjusted until it has enough contrast in light and in dark mode. */
export function brandStyle(color: string): string {
  const brand = parse(color);
  return `${theme(':root', brand, lightCard, black)}
@media (prefers-color-scheme: dark) {
${theme(':root', brand, darkCard, white)}
}
`;
}

/** Colors for mails, which have no style sheet: a button with its text, and links on light and dark ground. */
export function mailColors(color: string): { accent: string; ink: string; text: string; darkText: string } {
  const brand = parse(color);
  const { button, ink, text } = shades(brand, lightCard, black);
  return {
    accent: print(button),
    ink: print(ink),
    text: print(text),
    darkText: print(shades(brand, darkCard, white).text),
  };
}

type Rgb = readonly [number, number, number];

const white: Rgb = [255, 255, 255];
const black: Rgb = [20, 18, 24];
const lightCard: Rgb = white;
const darkCard: Rgb = [33, 29, 36];

function theme(selector: string, brand: Rgb, card: Rgb, away: Rgb): string {
  const { button, ink, text } = shades(brand, card, away);
  return `${selector} { --brand: ${print(brand)}; --accent: ${print(button)}; --accent-ink: ${print(ink)}; --accent-text: ${print(text)}; }`;
}

function shades(brand: Rgb, card: Rgb, away: Rgb): { button: Rgb; ink: Rgb; text: Rgb } {
  const ink = contrast(brand, white) >= contrast(brand, black) ? white : black;
  return {
    button: readable(brand, ink, ink === white ? black : white, 4.6),
    ink,
    text: readable(brand, card, away, 4.8),
  };
}

/** The color, mixed with `away` until its contrast with the ground has the ratio of WCAG. */
function readable(color: Rgb, ground: Rgb, away: Rgb, ratio: number): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, away, share);
    if (contrast(mixed, ground) >= ratio) return mixed;
  }
  return away;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2) => Math.round(one[index] * (1 - share) + other[index] * share);
  return [at(0), at(1), at(2)];
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
  const at = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}

function print(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
