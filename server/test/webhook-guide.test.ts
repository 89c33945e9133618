import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { parseGuideFile } from '../src/reference/guide/guide-file.ts';
import { readGuide } from '../src/reference/guide/read-guide.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = '{"type":"room.created","name":"Português €"}';

interface Case {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly secret: string;
  readonly isValid: boolean;
}

/** Signed by an independent implementation of the specification. */
function cases(): Case[] {
  const now = new Date();
  const signed = (at: Date) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new StandardWebhook(secret).sign('evt_1', at, body),
  });
  const headers = signed(now);
  const other = new StandardWebhook('whsec_c2VjcmV0').sign('evt_1', now, body);
  const both = { ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` };
  return [
    { headers, body, secret, isValid: true },
    { headers: both, body, secret, isValid: true },
    { headers, body: `${body} `, secret, isValid: false },
    { headers: { ...headers, 'webhook-id': 'evt_2' }, body, secret, isValid: false },
    { headers: { ...headers, 'webhook-signature': other }, body, secret, isValid: false },
    { headers: { ...headers, 'webhook-signature': '' }, body, secret, isValid: false },
    { headers: signed(new Date(now.getTime() - 600_000)), body, secret, isValid: false },
  ];
}

function sample(language: string): string {
  const file = readGuide().find(({ slug }) => slug === 'receiving-webhooks');
  const { sections } = parseGuideFile(file ?? { slug: 'receiving-webhooks', markdown: '' });
  return sections.flatMap(({ samples }) => samples).find((sample) => sample.language === language)?.code ?? '';
}

function run(command: string, args: readonly string[]): unknown {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', input: JSON.stringify(cases()) });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return JSON.parse(stdout);
}

const expected = cases().map(({ isValid }) => isValid);

test('the sample for Node accepts signed requests, and refuses changed, old and foreign ones', () => {
  const program = `${sample('js')}
    let input = '';
    for await (const chunk of process.stdin) input += chunk;
    console.log(JSON.stringify(JSON.parse(input).map(({ headers, body, secret }) => verifyWebhook(headers, body, secret))));`;
  expect(run(process.execPath, ['--input-type=module', '--eval', program])).toEqual(expected);
});
