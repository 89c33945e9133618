import { expect, test } from 'vitest';
import { ConnectionFailure, describeConnectionError } from '../src/network/connection-errors.ts';

test('the description of a connection error does not contain the address, whether the error has a code or not', () => {
  const text = 'connect to rtmp://live.example.com/app/secret-key';
  for (const error of [new Error(text), Object.assign(new Error(text), { code: 'EUNKNOWN' })]) {
    expect(describeConnectionError('target', error)).toEqual({
      code: 'connection-failed',
      message: 'The connection to the target failed.',
    });
  }
  expect(describeConnectionError('source', Object.assign(new Error(text), { code: 'ECONNREFUSED' }))).toEqual({
    code: 'connection-refused',
    message: 'The source refuses connections.',
  });
});

test('a failure with a sentence of its own keeps it', () => {
  const failure = new ConnectionFailure('stream-in-use', 'The target already has this stream.');
  expect(describeConnectionError('target', failure)).toEqual({ code: 'stream-in-use', message: failure.message });
});
