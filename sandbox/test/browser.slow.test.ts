import axe from 'axe-core';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import type { Caller } from './signed-call.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
}, 60_000);

afterAll(() => browser.close());

test('In a real browser people join, see each other, admit a guest and leave', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ name: 'Team <b>sync</b>', guestPolicy: 'ALWAYS_ACCEPT_AUTH' }));
  const faults: string[] = [];

  const moderator = await openVisitorPage(faults);
  await moderator.goto(joinUrl(api, { fullName: 'Mo', role: 'MODERATOR', userID: 'mo' }));
  await moderator.getByText('You are in').waitFor();
  expect(await moderator.locator('h1 strong').textContent()).toBe('Team <b>sync</b>');
  await waitForParticipants(api, 1);

  const viewer = await openVisitorPage(faults);
  await viewer.goto(joinUrl(api, { fullName: 'Vera', role: 'VIEWER', userID: 'vera' }));
  await viewer.locator('#people').getByText('Mo').waitFor();
  await moderator.locator('#people').getByText('Vera').waitFor();
  await waitForParticipants(api, 2);

  const guest = await openVisitorPage(faults);
  await guest.goto(joinUrl(api, { fullName: 'Gus', role: 'VIEWER', guest: 'true', userID: 'gus' }));
  await guest.getByText('Waiting for a moderator').waitFor();
  await waitForParticipants(api, 2);
  await moderator.getByRole('button', { name: 'Admit' }).click();
  await guest.getByText('You are in').waitFor();
  await waitForParticipants(api, 3);

  await api.call('sendChatMessage', { meetingID: 'demo', message: 'Ten <i>minutes</i> left' });
  for (const page of [moderator, viewer, guest])
    await page.locator('#messages').getByText('Ten <i>minutes</i> left').waitFor();

  await viewer.reload();
  await viewer.locator('#people').getByText('Vera').waitFor();
  await waitForParticipants(api, 3);

  await viewer.getByRole('button', { name: 'Leave' }).click();
  await viewer.getByText('You have left').waitFor();
  await waitForParticipants(api, 2);

  await guest.close({ runBeforeUnload: false });
  await waitForParticipants(api, 1);

  moderator.once('dialog', (dialog) => void dialog.accept());
  await moderator.getByRole('button', { name: 'End for all' }).click();
  await moderator.getByText('The meeting has ended').waitFor();
  expect(sandbox.control.state().meetings[0]?.endReason).toBe('moderator');
  expect(faults).toEqual([]);
}, 60_000);

test('Without JavaScript people join and leave by buttons, and the page reloads itself', async () => {
  const { api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(joinUrl(api, { fullName: 'Anna', role: 'VIEWER' }));
  await waitForParticipants(api, 0);
  await page.getByRole('button', { name: 'Enter the meeting' }).click();
  await page.getByText('You are in').waitFor();
  await waitForParticipants(api, 1);
  expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toBe('10');
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('button', { name: 'Come back' }).click();
  await page.getByText('You are in').waitFor();
}, 60_000);

test.each(['light', 'dark'] as const)(
  'The %s pages have no accessibility faults',
  async (colorScheme) => {
    const { sandbox, api } = await startTestSandbox();
    await api.call(
      'create',
      demoMeeting({
        guestPolicy: 'ALWAYS_ACCEPT_AUTH',
        record: 'true',
        bannerText: 'Hi',
        welcome: 'Hi',
      }),
    );
    sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Gus', guest: true });
    sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Ann' });
    await api.call('sendChatMessage', { meetingID: 'demo', message: 'A message' });
    const recordID = sandbox.control.plantRecording({ meetingID: 'old', formats: ['presentation', 'video'] });
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 360, height: 700 },
    });
    const page = await context.newPage();
    await page.goto(joinUrl(api, { fullName: 'Mo', role: 'MODERATOR' }));
    await page.getByRole('button', { name: 'Admit' }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.goto(joinUrl(api, { fullName: 'Gil', role: 'VIEWER', guest: 'true' }));
    expect(await findFaults(page)).toEqual([]);
    await page.goto(`${sandbox.url}/playback/presentation/2.3/${recordID}`);
    await page.getByRole('img', { name: 'Slide 3' }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Video' }).click();
    await page.getByText('Recording of').first().waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.goto(api.url('join', { meetingID: 'unknown', fullName: 'Gil', role: 'VIEWER' }));
    expect(await findFaults(page)).toEqual([]);
  },
  60_000,
);

async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const width = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return [
    ...(width === true ? [] : ['The page is wider than the screen.']),
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
  ];
}

/** Opens a page in its own context and collects its console errors. */
async function openVisitorPage(faults: string[]): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return page;
}

function joinUrl(api: Caller, parameters: Record<string, string>): string {
  return api.url('join', { meetingID: 'demo', ...parameters });
}

async function waitForParticipants(api: Caller, count: number): Promise<void> {
  await expect
    .poll(async () => (await api.call('getMeetingInfo', { meetingID: 'demo' })).elements['participantCount'], {
      timeout: 10_000,
    })
    .toBe(String(count));
}
