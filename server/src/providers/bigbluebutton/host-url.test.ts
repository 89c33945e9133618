import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHostUrl } from './host-url.ts';

test.each([
  ['https://meet.example.com', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/bigbluebutton', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/bigbluebutton/', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/bigbluebutton/api', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/bigbluebutton/api/', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com//bigbluebutton//api//', 'https://meet.example.com/bigbluebutton/api'],
  ['https://example.com/meet', 'https://example.com/meet/bigbluebutton/api'],
  ['https://example.com/meet/bigbluebutton', 'https://example.com/meet/bigbluebutton/api'],
  ['https://example.com/b3lb/t/tenant/bbb/api', 'https://example.com/b3lb/t/tenant/bbb/api'],
  ['HTTPS://Meet.Example.COM:443/', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com:8443', 'https://meet.example.com:8443/bigbluebutton/api'],
  ['https://bücher.example', 'https://xn--bcher-kva.example/bigbluebutton/api'],
  ['https://[2001:db8::1]', 'https://[2001:db8::1]/bigbluebutton/api'],
  ['http://localhost:8090', 'http://localhost:8090/bigbluebutton/api'],
  ['http://127.0.0.1:8090/bigbluebutton/api', 'http://127.0.0.1:8090/bigbluebutton/api'],
  ['http://127.8.9.10', 'http://127.8.9.10/bigbluebutton/api'],
  ['http://[::1]:8090', 'http://[::1]:8090/bigbluebutton/api'],
])('%s is normalized to %s', (text, url) => {
  expect(parseHostUrl(text)).toEqual({ ok: true, value: url });
});

test.each([
  ['', 'must be an address'],
  ['meet.example.com', 'must be an address'],
  ['//meet.example.com', 'must be an address'],
  ['https:', 'must be an address'],
  ['https://', 'must be an address'],
  ['https:meet.example.com', 'must be an address'],
  ['https:///meet.example.com', 'must be an address'],
  ['https:\\\\meet.example.com', 'must be an address'],
  [' https://meet.example.com', 'must be an address'],
  ['https://meet.exa mple.com', 'must be an address'],
  ['https://meet.example.com/a\tb', 'must be an address'],
  ['https://meet.example.com/\u0000', 'must be an address'],
  ['https://meet.example.com:99999', 'must be an address'],
  ['https://300.1.1.1', 'must be an address'],
  ['ftp://meet.example.com', 'must begin with https://'],
  ['file:///etc/passwd', 'must be an address'],
  ['javascript:alert(1)', 'must be an address'],
  ['http://meet.example.com', 'must use https'],
  ['http://10.0.0.1', 'must use https'],
  ['http://localhost.example.com', 'must use https'],
  ['http://127.0.0.1.example.com', 'must use https'],
  ['http://[::2]', 'must use https'],
  ['http://0.0.0.0', 'must use https'],
  ['https://user:password@meet.example.com', 'must not contain a user name'],
  ['https://user@meet.example.com', 'must not contain a user name'],
  ['https://@meet.example.com', 'must not contain a user name'],
  ['http://127.0.0.1@meet.example.com', 'must use https'],
  ['https://meet.example.com?checksum=1', 'must not contain a query'],
  ['https://meet.example.com/?', 'must not contain a query'],
  ['https://meet.example.com/#top', 'must not contain a query'],
  [`https://meet.example.com/${'a'.repeat(2048)}`, 'must not be longer'],
  [`https://meet.example.com/${'a'.repeat(2010)}`, 'must not be longer'],
])('%j is rejected', (text, problem) => {
  expect(parseHostUrl(text)).toEqual({
    ok: false,
    message: expect.stringMatching(`^The host_url property ${problem}`),
  });
});

test('an error does not repeat a password from the address', () => {
  const result = parseHostUrl('https://user:Tr0ub4dor@meet.example.com');
  expect(JSON.stringify(result)).not.toContain('Tr0ub4dor');
});

test('a normalized address is normalized to itself and ends in /api', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'], withQueryParameters: false, withFragments: false }), (text) => {
      const first = parseHostUrl(text);
      fc.pre(first.ok);
      expect(first.value).toMatch(/^https:\/\/.+[^/]\/api$/);
      expect(parseHostUrl(first.value)).toEqual(first);
    }),
  );
});

test('parsing never throws', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => void parseHostUrl(text)));
});
