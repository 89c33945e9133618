import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { median } from '../measure/median.ts';

export interface ConsoleOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly rounds: number;
}

/** Slow 4G, as Lighthouse throttles it. */
const network = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const cpuSlowdown = 4;

const goals = { bytes: 200 * 1024, firstPaintMs: 1500 };

/** Measurements of one view. */
interface View {
  readonly bytes: number;
  readonly requests: number;
  /** The time from the navigation, or from the click that signs in, until the view is shown. */
  readonly shownMs: number;
}

interface Visit {
  readonly firstPaintMs: number;
  readonly signIn: View;
  readonly dashboard: View;
}

/**
 * Measures how the sign-in page and the dashboard load in a browser with an empty cache, under Slow 4G and with a quarter
 * of the CPU.
 */
export async function benchConsole({ url, username, password, rounds }: ConsoleOptions): Promise<string> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  try {
    const visits: Visit[] = [];
    // The first visit fills the caches of the server and is not counted.
    for (let round = 0; round <= rounds; round++) visits.push(await visit(browser, url, { username, password }));
    return formatReport(visits.slice(1));
  } finally {
    await browser.close();
  }
}

async function visit(
  browser: Browser,
  url: string,
  credentials: { readonly username: string; readonly password: string },
): Promise<Visit> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const received = await throttle(context, page);
    await page.goto(`${url}/console/`);
    const name = page.getByLabel('User name or email');
    await name.waitFor();
    const signInMs = await page.evaluate(() => performance.now());
    await page.waitForLoadState('networkidle');
    const firstPaintMs = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    );
    const signIn = { ...received(), shownMs: signInMs };
    await name.fill(credentials.username);
    await page.getByRole('textbox', { name: 'Password' }).fill(credentials.password);
    // The time that a user needs to type a password.
    await page.waitForTimeout(3000);
    const clicked = performance.now();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    const shownMs = performance.now() - clicked;
    const all = await waitUntilIdle(page, received);
    const dashboard = { bytes: all.bytes - signIn.bytes, requests: all.requests - signIn.requests, shownMs };
    return { firstPaintMs, signIn, dashboard };
  } finally {
    await context.close();
  }
}

/** Waits for a second without requests. `networkidle` is never reached, since the event stream stays open. */
async function waitUntilIdle<Counts extends { readonly requests: number }>(
  page: Page,
  read: () => Counts,
): Promise<Counts> {
  for (let before = read(); ; before = read()) {
    await page.waitForTimeout(1000);
    if (read().requests === before.requests) return before;
  }
}

async function throttle(context: BrowserContext, page: Page): Promise<() => { bytes: number; requests: number }> {
  const session = await context.newCDPSession(page);
  const counts = { bytes: 0, requests: 0 };
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counts.bytes += encodedDataLength;
    counts.requests += 1;
  });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  return () => ({ ...counts });
}

function formatReport(visits: readonly Visit[]): string {
  const medianOf = (read: (visit: Visit) => number) => median(visits.map(read));
  const firstPaintMs = medianOf((visit) => visit.firstPaintMs);
  const lines = (['signIn', 'dashboard'] as const).map((name) => {
    const bytes = medianOf((visit) => visit[name].bytes);
    const label = name === 'signIn' ? 'Sign-in page' : 'Dashboard after it';
    const requests = medianOf((visit) => visit[name].requests);
    return `  ${label.padEnd(20)}${formatKilobytes(bytes).padStart(9)} in ${requests} requests, shown after ${formatSeconds(medianOf((visit) => visit[name].shownMs))}; ${reachedText(bytes <= goals.bytes)} (at most ${formatKilobytes(goals.bytes)})`;
  });
  return [
    `The console in a browser with an empty cache: 150 ms round trip, 1.6 Mbit/s down, 0.75 up, CPU 4 times slower, medians of ${visits.length}`,
    `  First paint ${formatSeconds(firstPaintMs)}; ${reachedText(firstPaintMs <= goals.firstPaintMs)} (at most ${formatSeconds(goals.firstPaintMs)} on a quiet machine)`,
    ...lines,
  ].join('\n');
}

function reachedText(isReached: boolean): string {
  return isReached ? 'reached' : 'not reached';
}

function formatKilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
