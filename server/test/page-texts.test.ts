import { expect, test } from 'vitest';
import { textsIn as authorizeTexts } from '../src/modules/auth/authorization-code/authorize-texts.ts';
import { textsIn as invitationTexts } from '../src/modules/invitations/texts.ts';
import { minuteWarning } from '../src/modules/meetings/minutes/minute-warning.ts';
import { textsIn as resetTexts } from '../src/modules/password-reset/texts.ts';
import { watchText } from '../src/modules/recordings/watch/watch-texts.ts';
import { cataloguesWith } from '../src/modules/meet-entry/pages/texts.ts';
import { type Language, languages } from '../src/platform/text/language.ts';
import { wordsFor } from '../src/platform/page/page-words.ts';

const refusals = ['forged', 'expired', 'gone', 'closed', 'unavailable'] as const;

/** Everything that pages and mails say in a language, by name, with what is filled in standing there as `{0}`. */
function said(language: Language): Map<string, string> {
  const all = {
    words: wordsFor(language, 'en'),
    authorize: authorizeTexts(language),
    reset: resetTexts(language),
    invitation: invitationTexts(language),
    watch: refusals.map((refusal) => watchText(language, refusal)),
    minutes: (count: string) => minuteWarning(language, count as unknown as number),
    room: cataloguesWith().get(language),
  };
  return new Map(leaves(all, ''));
}

function leaves(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const target = { level: 'room', name: '{name}', customerName: '{customer}' };
    const isOfTarget = path.startsWith('.invitation.') && !/lead|doneTitle|closed/.test(path);
    const given = isOfTarget ? [target, '{1}', '{2}'] : ['{0}', '{1}', '{2}'];
    const text: unknown = path === '.invitation.done' ? value(target) : value(...given);
    return leaves(text, path);
  }
  return Object.entries(value ?? {}).flatMap(([name, each]) => leaves(each, `${path}.${name}`));
}

const namesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort().join(' ');
const english = said('en');
const shared =
  /\.(language|direction)$|resources\.|\.code$|title$|mail\.action\.url$|state$|help$|email$|recordingLength$/i;

test.each(languages.filter((language) => language !== 'en'))(
  'in %s every text is there, is not the English one, and holds what is filled in',
  (language) => {
    const texts = said(language);
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [path, text] of texts) {
      const original = english.get(path) ?? '';
      expect([path, namesIn(text)]).toEqual([path, namesIn(original)]);
      if (!shared.test(path)) expect([path, text]).not.toEqual([path, original]);
    }
  },
);

test('nobody in Portugal reads Brazilian, and nobody in Brazil what only Portugal says', () => {
  const european = [...said('pt').values()].join('\n');
  const brazilian = [...said('pt-BR').values()].join('\n');
  expect(european.match(/\b(você|senha|link|câmera|usuários?|tela|login|conectado|registro)\b/giu)).toBeNull();
  expect(
    brazilian.match(/\b(palavra-passe|ligação|câmara|utilizador\w*|ecrã|apelido|registo|sido aceite)\b/giu),
  ).toBeNull();
});
