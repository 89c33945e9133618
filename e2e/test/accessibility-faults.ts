import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Violations of WCAG 2.2 AA that axe finds in the page, and controls whose accessible name lacks the visible label. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Contrast is only final once transitions have ended.
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => animation.effect?.getComputedTiming().iterations === Infinity),
  );
  await page.evaluate(await readFile(axe, 'utf8'));
  return await page.evaluate(async () => {
    const { axe: tester } = globalThis as unknown as {
      axe: {
        run(context: unknown, options: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations } = await tester.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      rules: { 'label-content-name-mismatch': { enabled: true } },
    });
    return violations.map(({ id, nodes }) => `${location.pathname}${location.search} ${id}: ${nodes[0]?.html ?? ''}`);
  });
}

/** The faults in the light and in the dark color scheme. */
export async function accessibilityFaultsInBothSchemes(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    faults.push(...(await accessibilityFaults(page)).map((fault) => `${colorScheme}: ${fault}`));
  }
  return faults;
}
