import { expect, test } from 'vitest';
import { outputForm, shownValues } from '../src/outputs/output-form.ts';
import { missingLimits } from '../src/packages/missing-limits.ts';
import { bodyOf } from '../src/streams/stream-body.ts';
import { findStreamObstacle } from '../src/streams/stream-obstacle.ts';
import { streamPollMs, inputFacts, kbpsText, stateSentence } from '../src/streams/stream-words.ts';
import { formatDuration, figuresOf, isPlayable, isInProgress } from '../src/videos/video-format.ts';
import { captionsFault, captionsTypeOf, findLanguage } from '../src/videos/captions-file.ts';

test('a length is shown in hours, minutes and seconds', () => {
  expect([0, 41, 62.4, 3723].map(formatDuration)).toEqual(['0:00', '0:41', '1:02', '1:02:03']);
});

test('a video is described by its picture size, its resolutions and the storage that it uses', () => {
  const video = { width: 1920, height: 1080, size_bytes: 5_000_000, stored_bytes: 8_000_000, state: 'ready' as const };
  const renditions = [1080, 480].map((height) => ({ height, bitrate: 1, codec: 'h264' }));
  expect(figuresOf({ ...video, renditions })).toBe('1920 × 1080 · 1080p, 480p · 8 MB stored');
  const waiting = { ...video, width: null, height: null, state: 'awaiting-upload' as const, renditions: [] };
  expect(figuresOf(waiting)).toBe('5 MB');
});

test('a video can be watched as soon as it has a rendition, and is polled while it is uploaded or processed', () => {
  expect(isPlayable({ renditions: [] })).toBe(false);
  expect(isPlayable({ renditions: [{ height: 360, bitrate: 1, codec: 'h264' }] })).toBe(true);
  const states = ['awaiting-upload', 'uploading', 'queued', 'processing', 'ready', 'failed'] as const;
  expect(states.map((state) => isInProgress({ state }))).toEqual([false, true, true, true, false, false]);
});

test('a captions file is recognized by its name, which also contains its language', () => {
  expect(['a.VTT', 'a.srt', 'a.txt'].map(captionsTypeOf)).toEqual(['text/vtt', 'application/x-subrip', null]);
  expect(captionsFault({ name: 'a.vtt', size: 100 })).toBeNull();
  expect(captionsFault({ name: 'a.vtt', size: 2_000_001 })).toMatch(/larger than 2 MB/);
  expect(captionsFault({ name: 'a.zip', size: 100 })).toMatch(/WebVTT/);
  expect(findLanguage('Lesson.pt-br.vtt', ['pt', 'pt-BR'])).toBe('pt-BR');
  expect(findLanguage('Lesson.final.vtt', ['en'])).toBeNull();
});

test('the input of an encoder is shown in readable units', () => {
  expect([850, 4200].map(kbpsText)).toEqual(['850 kbit/s', '4.2 Mbit/s']);
  const input = {
    width: 1280,
    height: 720,
    fps: 29.97,
    video_kbps: 2500,
    audio_kbps: 0,
    keyframe_seconds: null,
    warnings: [],
  };
  expect(inputFacts(input)).toEqual([
    ['Resolution', '1280 × 720'],
    ['Frames per second', '30'],
    ['Video bitrate', '2.5 Mbit/s'],
    ['Audio bitrate', 'No sound'],
    ['Keyframe interval', '–'],
  ]);
});

test('an idle stream shows how to start, and is only polled if it is live or has a source', () => {
  const idle = { state: 'idle', source: null } as const;
  expect(stateSentence(idle, false)).toMatch(/^Start the encoder/);
  expect(stateSentence(idle, true)).toMatch(/^The last broadcast has ended/);
  expect(stateSentence({ ...idle, source: { url: 'srt://x' } }, false)).toMatch(
    /^The media server tries the source again/,
  );
  expect(streamPollMs(undefined)).toBe(false);
  expect(streamPollMs(idle)).toBe(false);
  expect(streamPollMs({ ...idle, state: 'reconnecting' })).toBeGreaterThan(0);
  expect(streamPollMs({ ...idle, source: { url: 'srt://x' } })).toBeGreaterThan(0);
});

test('an empty source stops fetching, and an unchanged one is not sent', () => {
  expect(bodyOf({ record: true })).toEqual({ record: true });
  expect(bodyOf({ source: ' ' })).toEqual({ source: null });
  expect(bodyOf({ source: null })).toEqual({ source: null });
  expect(bodyOf({ source: ' srt://192.0.2.1:9000 ' })).toEqual({ source: { url: 'srt://192.0.2.1:9000' } });
});

test('an output only requires an address if its platform has none, and never shows a stored key', () => {
  const isRequired = (platform: 'youtube' | 'linkedin' | 'custom') =>
    outputForm(platform, false).rules.requiredWhen?.['url']?.({});
  expect([isRequired('youtube'), isRequired('linkedin'), isRequired('custom')]).toEqual([false, true, true]);
  expect(outputForm('twitch', true).hints.stream_key).toMatch(/Leave it empty to keep the stored key/);
  expect(shownValues({ name: 'A', stream_key: '********' })).toEqual({ name: 'A', stream_key: null });
  const names = outputForm('youtube', false).fields.map(({ name }) => name);
  expect(names).toEqual(['name', 'url', 'stream_key', 'enabled', 'output_metadata']);
});

test('a package lists the limits that are 0 and that its rooms need', () => {
  const none = new Map<string, string>();
  expect(missingLimits('meet', none)).toEqual(['Accounts', 'Rooms']);
  const created = [
    ['max_accounts', '3'],
    ['max_rooms', 'unlimited'],
  ] as const;
  expect(missingLimits('meet', new Map(created))).toEqual([]);
  expect(missingLimits('video', new Map(created))).toEqual(['Viewer minutes', 'Videos', 'Transcoding minutes']);
  expect(missingLimits('live', new Map(created))).toEqual(['Viewer minutes', 'Stream minutes']);
  expect(missingLimits('live', new Map([...created, ['viewer_minutes', '9'], ['stream_minutes', '0']]))).toEqual([
    'Stream minutes',
  ]);
  expect(missingLimits('simulcast', new Map(created))).toEqual(['Stream minutes', 'Outputs']);
  expect(missingLimits('simulcast', new Map([...created, ['max_viewers', '5']]))).toEqual([
    'Viewer minutes',
    'Stream minutes',
    'Outputs',
  ]);
});

test('a stream names the limits of 0 that prevent its broadcast, and those that prevent viewers', () => {
  const features = [
    { tag: 'stream_minutes', used: '0' },
    { tag: 'max_viewers', used: '0' },
    { tag: 'max_outputs', used: '0' },
  ];
  expect(findStreamObstacle(features, true)).toEqual({
    title: 'This room can’t go live',
    text: 'The limit “Stream minutes” is 0. Raise it in the features of the subscription or of the room.',
  });
  expect(findStreamObstacle(features.slice(1), true)?.title).toBe('This room can’t be watched');
  expect(findStreamObstacle(features.slice(1), false)).toBeNull();
  expect(findStreamObstacle([{ tag: 'stream_minutes', used: 'unlimited' }], true)).toBeNull();
});
