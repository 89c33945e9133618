import type { Page, Request } from 'playwright-core';

/**
 * Waits until the page waits for no answer and asks for nothing new. The load state `networkidle` is never reached, since
 * the stream of events stays open.
 */
export async function networkQuiet(page: Page): Promise<void> {
  let unchanged = 0;
  for (let last: Request | undefined; ;) {
    const requests = await page.requests();
    const newest = requests.at(-1);
    // A navigation drops the requests of the former document without telling their end.
    const ofDocument = requests.slice(requests.findLastIndex((request) => request.isNavigationRequest()) + 1);
    const isWaiting = ofDocument.some(
      (request) => !isStream(request) && !request.existingResponse() && !request.failure(),
    );
    unchanged = newest === last ? unchanged + 1 : 0;
    if (unchanged > (isWaiting ? patience : 0)) return;
    last = newest;
    await page.waitForTimeout(300);
  }
}

/** The end of a request that the page gave up is sometimes not told: after so many looks it is taken for ended. */
const patience = 20;

function isStream(request: Request): boolean {
  return request.url().includes('/events/stream');
}
