import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, or the program in CHROMIUM_PATH. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  });
}
