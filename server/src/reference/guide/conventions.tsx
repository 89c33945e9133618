/** @jsxImportSource preact */
import { JsonSample, paintCurl, Sample } from '../sample.tsx';
import { LinkedCodes } from '../reference-context.tsx';
import type { Addresses, GuidePage } from './guide-page.tsx';

export function conventions({ server }: Addresses): GuidePage {
  const filtered = `${server}/rooms/room_01kgh98tqd…?include=account&filter=id,room_name,account_name`;
  return {
    slug: 'conventions',
    title: 'Conventions',
    lead: 'What holds for every request and every answer.',
    topics: [
      {
        id: 'identifiers',
        title: 'Identifiers',
        said: (
          <>
            <p>
              Every row has one identifier in three forms: the <code>id</code> names its type in front, the{' '}
              <code>uuid</code> is the same 128 bits as usual, the <code>ulid</code> as 26 characters. Wherever an
              identifier is taken, in paths, bodies and searches, each form is. They sort by age.
            </p>
            <p>An identifier of another type is a 404 in a path, a 422 in a body, and finds nothing in a search.</p>
          </>
        ),
        samples: (
          <JsonSample
            title="One room, three times"
            value={{
              id: 'room_01kgh98tqdeap9w3b971jfs1df',
              uuid: '019c2294-6aed-72ac-9e0d-693864fc85af',
              ulid: '01kgh98tqdeap9w3b971jfs1df',
            }}
          />
        ),
      },
      {
        id: 'timestamps',
        title: 'Times and days',
        said: (
          <>
            <p>
              Instants are UTC with six digits: <code>2026-02-27T16:40:05.771930Z</code>. Days are printed as their
              first moment, <code>2026-03-01T00:00:00.000000Z</code>; on the way in a date will do, and a time is
              dropped. Members called <code>readable_…</code> say it in words, in the language of the caller.
            </p>
          </>
        ),
      },
      {
        id: 'envelopes',
        title: 'Answers, include and filter',
        said: (
          <>
            <p>
              A resource comes in <code>data</code>, and <code>meta.include</code> names the relationships that it has.{' '}
              <code>?include=account,tokens</code> adds them, nested with dots to a depth of four:{' '}
              <code>account.customer</code>. What is unknown, or not for the caller, or leads back to a type that the
              path has left (<code>customer.rooms</code> of a room), is left out and named in{' '}
              <code>meta.custom.ignored_includes</code>. A request names at most 20 relationships, and an answer carries
              at most 10,000 included objects, each counted as often as it is printed: more are refused with{' '}
              <LinkedCodes words={['include-too-large']} />, or on a write left out and named. A stream (
              <code>limit=0</code>) carries any number, up to 10,000 below each row; at a row with more it breaks off.
            </p>
            <p>
              <code>?filter=id,room_name</code> answers with these members only, in included resources as well. Both
              work on every request that answers with a resource, on writes, too.
            </p>
            <p>Creating answers 201, deleting 204 without a body, everything else 200 (logging out 202).</p>
          </>
        ),
        samples: (
          <>
            <JsonSample title="Answer" value={resourceAnswer} />
            <Sample title="Request" wraps html={paintCurl({ verb: 'get', url: filtered, needsToken: true })} />
          </>
        ),
      },
      {
        id: 'bodies',
        title: 'Bodies',
        said: (
          <>
            <p>
              JSON of at most 1 MiB. Text is trimmed, and an empty text is null. In a PATCH what is absent stays as it
              is, and null clears. Unknown members are ignored; members that never change, such as <code>id</code>,{' '}
              <code>uuid</code> and <code>ulid</code>, are a 422 only when they differ.
            </p>
          </>
        ),
      },
      {
        id: 'metadata',
        title: 'Metadata',
        said: (
          <>
            <p>
              Most resources carry a store of your own: up to 256 keys of 1 to 64 characters and 64 KiB in all. Values
              are text, numbers, booleans and null, or one level of list or object of those. A write replaces the whole
              object, so merge before you send.
            </p>
          </>
        ),
        samples: (
          <JsonSample
            title="Metadata"
            value={{
              course: 'PT-B1',
              seats: 30,
              days: ['tue', 'thu'],
              teacher: { name: 'Ana', remote: true },
            }}
          />
        ),
      },
      {
        id: 'request-ids',
        title: 'Request ids',
        said: (
          <>
            <p>
              Every answer has <code>X-Request-Id</code>: the one that the request sent (up to 128 letters, digits and{' '}
              <code>. _ -</code>), or a new one. It is in errors and in the log as well.
            </p>
          </>
        ),
      },
    ],
  };
}

const resourceAnswer = {
  data: { object: 'Room', id: 'room_01kgh98tqd…', room_name: 'Portuguese B1' },
  meta: { include: ['tokens', 'account'], custom: [] },
};
