import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeProvider, makeRoom, openSandbox, unique } from './factories.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { authorizeUrl, registerClient, authorizationRequest } from './oauth/protocol.ts';

const italian = {
  language: 'it',
  languageName: 'Italiano',
  help: 'Aiuto',
  failures: { missingTitle: 'Pagina inesistente' },
  mail: { copyAddress: 'Copia l’indirizzo:' },
  consent: { loginTitle: 'Accedi', loginLead: 'per continuare su {client}' },
  passwordReset: { mail: { subject: 'Nuova password per {platform}' }, deadTitle: 'Link non valido' },
  invitation: { invitedTo: 'Invito a', mail: { invitedByCustomer: '{customer} ti invita su {platform}.' } },
  recording: { forged: { title: 'Link errato' } },
  room: { name: 'Il tuo nome' },
};

let api: TestApi;
let mail: MailServer;
let sandbox: Sandbox;

beforeAll(async () => {
  [mail, sandbox] = await Promise.all([startMailServer(), openSandbox()]);
  api = await startApi({
    mail: { smtpUrl: mail.url, from: null },
    catalogues: new Map<string, unknown>([
      ['it.json', italian],
      ['de.json', { language: 'de', languageName: 'Deutsch', room: { name: 'Wie heißen Sie?' } }],
    ]),
  });
});
afterAll(async () => {
  await api.close();
  await Promise.all([mail.close(), sandbox.close()]);
});

async function readPage(path: string, language = 'it'): Promise<string> {
  const answer = await fetch(new URL(path, api.url), { headers: { accept: 'text/html', 'accept-language': language } });
  return await answer.text();
}

test('all pages are shown in an added language', async () => {
  const client = await registerClient(api, { name: 'Portal' });
  const consent = await readPage(authorizeUrl(api, authorizationRequest(client)));
  for (const text of ['<html lang="it"', 'Accedi', 'per continuare su Portal']) expect(consent).toContain(text);
  expect(await readPage('/password-reset/fpr_unknown')).toContain('Link non valido');
  expect(await readPage('/recordings/rec_unknown/playback/video')).toContain('Link errato');
  expect(await readPage('/unknown')).toContain('Pagina inesistente');
});

test('an invitation is mailed and shown in an added language, and texts that are missing from its file are English', async () => {
  const customer = await makeCustomer(api, { locale: 'it-IT' });
  const email = `${unique('guest')}@example.com`;
  await api.admin.createInvitation({ params: { customer_id: customer.id }, body: { email } });
  await runJob(api.app.dependencies, 'send-mails');
  const sent = mail.mails.findLast(({ to }) => to === email);
  expect(sent?.text).toContain('Ada Lovelace ti invita su Foyer.');
  expect(sent?.html).toContain('Copia l’indirizzo:');
  const page = await readPage(sent?.link ?? '');
  for (const text of ['<html lang="it"', 'Invito a', 'Accept the invitation']) expect(page).toContain(text);
});

test('a password reset is mailed in an added language', async () => {
  const customer = await makeCustomer(api, { locale: 'it' });
  await api.anyone.forgotUserPassword({ body: { email: customer.email } });
  await runJob(api.app.dependencies, 'answer-password-requests');
  await runJob(api.app.dependencies, 'send-mails');
  expect(mail.mails.findLast(({ to }) => to === customer.email)?.subject).toBe('Nuova password per Foyer');
});

test('room pages offer an added language, and show the texts that a file replaces in a built-in language', async () => {
  const { id: provider } = await makeProvider(api, sandbox);
  const { room } = await makeRoom(api, { provider, room: { is_public: true } });
  const page = await readPage(room.url);
  for (const text of ['<html lang="it"', '>Il tuo nome<', '>Italiano<']) expect(page).toContain(text);
  const german = await readPage(room.url, 'de');
  for (const text of ['>Wie heißen Sie?<', 'Dieser Name wird den anderen angezeigt.']) expect(german).toContain(text);
});
