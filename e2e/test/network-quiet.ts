import type { Page } from 'playwright-core';

/** Waits until the page waits for no answer and asks for nothing new. The stream of events stays open, so that the load state `networkidle` is never reached. */
export async function networkQuiet(page: Page): Promise<void> {
  let last: unknown = null;
  for (;;) {
    const requests = await page.requests();
    const isWaiting = requests.some((request) => !request.existingResponse() && !request.failure());
    if (!isWaiting && last !== null && requests.at(-1) === last) return;
    last = requests.at(-1) ?? null;
    await page.waitForTimeout(300);
  }
}
