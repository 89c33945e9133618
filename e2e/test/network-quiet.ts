import type { Page, Request } from 'playwright-core';

/**
 * Waits until the page has no pending requests and sends no new ones. The load state `networkidle` is never reached,
 * since the stream of events stays open.
 */
export async function waitForQuietNetwork(page: Page): Promise<void> {
  let unchangedChecks = 0;
  for (let last: Request | undefined; ;) {
    const requests = await page.requests();
    const newest = requests.at(-1);
    // A navigation drops the requests of the previous document without an event.
    const documentRequests = requests.slice(requests.findLastIndex((request) => request.isNavigationRequest()) + 1);
    const hasPending = documentRequests.some(
      (request) => !isStream(request) && !request.existingResponse() && !request.failure(),
    );
    unchangedChecks = newest === last ? unchangedChecks + 1 : 0;
    if (unchangedChecks > (hasPending ? maxChecks : 0)) return;
    last = newest;
    await page.waitForTimeout(300);
  }
}

/** Sometimes there is no event for the end of a cancelled request, so it counts as ended after this many checks. */
const maxChecks = 20;

function isStream(request: Request): boolean {
  return request.url().includes('/events/stream');
}
