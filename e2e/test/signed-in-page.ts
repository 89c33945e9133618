import type { Browser, Page } from 'playwright-core';
import { credentials, type RunningFoyer } from './foyer.ts';

/**
 * Opens the console on a wide screen and signs in, by default as the first administrator.
 * @param browserErrors collects uncaught errors of the page
 */
export async function openSignedInPage(
  browser: Browser,
  foyer: RunningFoyer,
  browserErrors: string[],
  username = credentials.username,
): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => browserErrors.push(error.message));
  await page.goto(`${foyer.url}/console`);
  await page
    .getByLabel(/user name|email/i)
    .first()
    .fill(username);
  await page
    .getByLabel(/password/i)
    .first()
    .fill(credentials.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  return page;
}
