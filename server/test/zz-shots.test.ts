import { test } from 'vitest';
import { chromium } from 'playwright-core';
import { startApi } from './api.ts';
import { makeProvider, makeRoom, openSandbox } from './factories.ts';

test('shots', async () => {
  const api = await startApi();
  const sandbox = await openSandbox();
  const provider = await makeProvider(api, sandbox as never);
  const { room } = await makeRoom(api, {
    provider: provider.id,
    room: {
      is_public: true,
      room_name: 'Welcome to the harbour',
      room_settings: {
        description:
          'This is the demonstration room.\nIts meetings run on the sandbox, a meeting server made for trying things out.',
      },
    },
  });
  const token = async (role: 'moderator' | 'attendee') =>
    (await api.admin.createRoomToken({ params: { room_id: room.id }, body: { role } })).data.url;
  const mod = await token('moderator');
  const att = await token('attendee');
  await api.admin.createRoomAccessCode({ params: { room_id: room.id }, body: { role: 'attendee', code: 'ABCD1234' } });
  const { room: closed } = await makeRoom(api, {
    provider: provider.id,
    room: { is_public: false, room_name: 'Board' },
  });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  });
  for (const scheme of ['light', 'dark'] as const)
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      const context = await browser.newContext({
        colorScheme: scheme,
        viewport: { width, height },
        deviceScaleFactor: 1,
      });
      const page = await context.newPage();
      page.on('console', (m) => console.log(scheme, width, m.text()));
      page.on('pageerror', (m) => console.log('ERR', m));
      const shot = (n: string) => page.screenshot({ path: `/tmp/shots/${n}-${scheme}-${width}.png`, fullPage: true });
      await page.goto(mod);
      await shot('door-mod');
      await page.goto(closed.url);
      await shot('refused');
      await page.goto(`${api.url}/rooms/nope`);
      await shot('missing');
      await page.goto(att);
      await page.fill('#name', 'Ana');
      await page.fill('#access_code', 'WRONG999');
      await page.click('button');
      await page.waitForSelector('.error');
      await shot('wrong');
      await page.fill('#access_code', 'ABCD1234');
      await page.click('button');
      await page.waitForURL(/waiting/);
      await shot('waiting');
      if (scheme === 'dark' && width === 390) {
        const other = await (await browser.newContext()).newPage();
        await other.goto(mod);
        await other.fill('#name', 'Mo');
        await other.click('button');
        await other.waitForURL(/html5client/);
        console.log('mod is in', other.url());
        await page.waitForURL(/html5client/, { timeout: 15000 });
        console.log('attendee is in', page.url());
        await page.goto(room.url);
        await shot('door-open');
        await page.fill('#name', 'Gus');
        await page.click('button');
        await page.waitForURL(/html5client/);
        console.log((await context.cookies()).map((c) => `${c.name} ${c.path} ${c.value.slice(0, 12)}`));
      }
      await context.close();
    }
  const light = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await light.goto(room.url);
  await light.screenshot({ path: '/tmp/shots/door-open-light-1280.png' });
  await light.setViewportSize({ width: 320, height: 640 });
  await light.screenshot({ path: '/tmp/shots/door-open-light-320.png', fullPage: true });
  console.log(await (await fetch(mod)).text());
  await browser.close();
  await sandbox.close();
  await api.close();
}, 120000);
