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

/** Builds requests, signed by an independent implementation of the specification. */
function buildCases(): Case[] {
  const now = new Date();
  const sign = (at: Date) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new StandardWebhook(secret).sign('evt_1', at, body),
  });
  const headers = sign(now);
  const other = new StandardWebhook('whsec_c2VjcmV0').sign('evt_1', now, body);
  const both = { ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` };
  return [
    { headers, body, secret, isValid: true },
    { headers: both, body, secret, isValid: true },
    { headers, body: `${body} `, secret, isValid: false },
    { headers: { ...headers, 'webhook-id': 'evt_2' }, body, secret, isValid: false },
    { headers: { ...headers, 'webhook-signature': other }, body, secret, isValid: false },
    { headers: { ...headers, 'webhook-signature': '' }, body, secret, isValid: false },
    { headers: sign(new Date(now.getTime() - 600_000)), body, secret, isValid: false },
  ];
}

function readSample(language: string): string {
  const file = readGuide().find(({ slug }) => slug === 'receiving-webhooks');
  const { sections } = parseGuideFile(file ?? { slug: 'receiving-webhooks', markdown: '' });
  return sections.flatMap(({ samples }) => samples).find((sample) => sample.language === language)?.code ?? '';
}

function run(command: string, args: readonly string[]): unknown {
  const { stdout, stderr, status } = spawnSync(command, args, {
    encoding: 'utf8',
    input: JSON.stringify(buildCases()),
  });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return JSON.parse(stdout);
}

const expected = buildCases().map(({ isValid }) => isValid);

test('the sample for Node accepts signed requests, and rejects requests that are changed, old or signed with another secret', () => {
  const program = `${readSample('js')}
    let input = '';
    for await (const chunk of process.stdin) input += chunk;
    console.log(JSON.stringify(JSON.parse(input).map(({ headers, body, secret }) => verifyWebhook(headers, body, secret))));`;
  expect(run(process.execPath, ['--input-type=module', '--eval', program])).toEqual(expected);
});
