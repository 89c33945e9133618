import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { checksumAlgorithms, signedForm, signedUrl } from './signed-request.ts';

const signer = { apiUrl: 'https://meet.example/bigbluebutton/api', secret: 'secret', algorithm: 'sha256' } as const;
const hash = (text: string, algorithm = 'sha256') => createHash(algorithm).update(text).digest('hex');

test('the example of the BigBlueButton reference has the documented checksum', () => {
  const sha1 = { ...signer, secret: '639259d4-9dd8-4b25-bf01-95f9567eaf4b', algorithm: 'sha1' } as const;
  const parameters = { name: 'Test', meetingID: 'abc123', attendeePW: '111222', moderatorPW: '333444' };
  const query = 'name=Test&meetingID=abc123&attendeePW=111222&moderatorPW=333444';
  expect(signedUrl(sha1, 'create', parameters)).toBe(
    `${signer.apiUrl}/create?${query}&checksum=${hash(`create${query}639259d4-9dd8-4b25-bf01-95f9567eaf4b`, 'sha1')}`,
  );
});

test.each(checksumAlgorithms)('%s covers exactly the bytes that are sent, for all texts', (algorithm) => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'binary' })), (parameters) => {
      const url = signedUrl({ ...signer, algorithm }, 'join', parameters);
      const [, query = '', checksum = ''] = /\?(?:(.*)&)?checksum=([0-9a-f]+)$/.exec(url) ?? [];
      expect(checksum).toBe(hash(`join${query}secret`, algorithm));
      expect(url).toMatch(/^[\w.~%:/?&=-]+$/);
    }),
  );
});

test('neither a browser nor a URL parser changes a signed URL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const url = signedUrl(signer, 'join', { fullName: `Anna's room (1*2)! ${text}` });
      expect(new URL(url).href).toBe(url);
      expect(new URL(url).searchParams.get('fullName')).toBe(`Anna's room (1*2)! ${text.toWellFormed()}`);
    }),
  );
});

test('a call without parameters is signed over an empty query', () => {
  expect(signedUrl(signer, 'getMeetings', {})).toBe(
    `${signer.apiUrl}/getMeetings?checksum=${hash('getMeetingssecret')}`,
  );
});

test('a POST is signed over the empty query of its URL', () => {
  expect(signedForm(signer, 'create', { name: "Anna's" })).toEqual({
    url: `${signer.apiUrl}/create?checksum=${hash('createsecret')}`,
    form: 'name=Anna%27s',
  });
});
