import { expect, test } from 'vitest';
import {
  forgetUpload,
  type InterruptedUpload,
  interruptedUploads,
  rememberUpload,
  findInterruptedUpload,
} from '../../kit/uploads/interrupted-uploads.ts';
import { remainingText, speedOf, withSample } from '../../kit/uploads/remaining-time.ts';
import { titleOf } from '../../kit/uploads/upload-queue.ts';
import { describeUploadFailure } from '../src/videos/upload-words.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const upload: InterruptedUpload = {
  roomId: 'room_1',
  fileName: 'lesson.mp4',
  sizeBytes: 1000,
  lastModified: 5,
  videoId: 'video_1',
  url: 'https://media.example.com/uploads/x',
  expiresAt: '2026-06-02T00:00:00Z',
};

function memoryStorage(): Storage {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  } as unknown as Storage;
}

test('an upload is found again by its file and room, until it has expired or is forgotten', () => {
  const storage = memoryStorage();
  rememberUpload(storage, upload, nowMs);
  const uploads = interruptedUploads(storage, nowMs);
  const file = { name: 'lesson.mp4', size: 1000, lastModified: 5 };
  expect(findInterruptedUpload(uploads, 'room_1', file)).toEqual(upload);
  expect(findInterruptedUpload(uploads, 'room_2', file)).toBeNull();
  expect(findInterruptedUpload(uploads, 'room_1', { ...file, size: 999 })).toBeNull();
  expect(findInterruptedUpload(uploads, 'room_1', { ...file, lastModified: 6 })).toBeNull();
  expect(interruptedUploads(storage, nowMs + 86_400_000)).toEqual([]);
  forgetUpload(storage, 'video_1', nowMs);
  expect(interruptedUploads(storage, nowMs)).toEqual([]);
});

test('storage that is full or contains unreadable data does not stop an upload', () => {
  const unexpected = { getItem: () => '{"a":1}' } as unknown as Storage;
  expect(interruptedUploads(unexpected, nowMs)).toEqual([]);
  const broken = { getItem: () => '[' } as unknown as Storage;
  expect(interruptedUploads(broken, nowMs)).toEqual([]);
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
  } as unknown as Storage;
  expect(() => rememberUpload(full, upload, nowMs)).not.toThrow();
});

test('the speed is measured over the last seconds, and the remaining time is shown in minutes', () => {
  let samples = withSample([], { atMs: 0, bytes: 0 });
  expect(speedOf(samples)).toBeNull();
  samples = withSample(samples, { atMs: 2000, bytes: 1_000_000 });
  expect(speedOf(samples)).toBe(500_000);
  samples = withSample(samples, { atMs: 9000, bytes: 1_700_000 });
  expect(speedOf(samples)).toBe(100_000);
  expect(remainingText(1000, null)).toBeNull();
  expect(remainingText(1000, 0)).toBeNull();
  expect(remainingText(1000, 1000)).toBe('less than a minute left');
  expect(remainingText(180_000, 1000)).toBe('about 3 min left');
  expect(remainingText(3_900_000, 1000)).toBe('about 1 h 05 min left');
});

test('the title of a video is made from the name of its file', () => {
  expect(['lesson_14.final.mp4', 'clip', '.mp4'].map(titleOf)).toEqual(['lesson 14.final', 'clip', '.mp4']);
  expect(titleOf('x'.repeat(200))).toHaveLength(150);
});

test('a failed upload shows advice', () => {
  expect(describeUploadFailure(undefined)).toMatch(/connection was lost/);
  expect(describeUploadFailure(410)).toMatch(/expired/);
  expect(describeUploadFailure(507)).toMatch(/no space left/);
});
