import { type Answer, json } from '../../http/answer.ts';
import { isAvailable } from '../../world/processing.ts';
import type { Recording, TextTrack } from '../../world/recording.ts';
import type { ApiCall } from '../request/call.ts';
import { readText } from '../request/parameters.ts';
import { ApiRefusal, refusal } from '../request/refusals.ts';

export function getRecordingTextTracks(call: ApiCall): Answer {
  const recordId = readText(call.parameters, 'recordID');
  if (recordId === undefined) throw refusal('recordIdMissing');
  const recording = recordingWithTracks(call, recordId);
  return response({
    returncode: 'SUCCESS',
    tracks: recording.textTracks.map((track) => printTrack(recording, track, call.origin)),
  });
}

/** Replaces a track of the same kind and language. */
export function putRecordingTextTrack(call: ApiCall): Answer {
  const recordId = required(call, 'recordID');
  const kind = required(call, 'kind');
  if (kind !== 'subtitles' && kind !== 'captions') throw refusal('trackKind');
  const lang = languageTag(required(call, 'lang'));
  const file = call.files.get('file');
  if (!file || file.content.length === 0) throw refusal('trackEmpty');
  const recording = recordingWithTracks(call, recordId);
  const label = readText(call.parameters, 'label') ?? lang;
  const track: TextTrack = { kind, lang, label, source: 'upload', content: file.content.toString('utf8') };
  const others = recording.textTracks.filter((track) => track.kind !== kind || track.lang !== lang);
  recording.textTracks = [...others, track];
  return response({
    messageKey: 'upload_text_track_success',
    message: 'Text track uploaded successfully',
    recordId,
    returncode: 'SUCCESS',
  });
}

export function trackFileName({ kind, lang }: TextTrack): string {
  return `${kind}_${lang}.vtt`;
}

function recordingWithTracks({ world }: ApiCall, recordId: string): Recording {
  const recording = world.recordings.find((stored) => stored.recordId === recordId && isAvailable(stored));
  if (!recording) throw refusal('trackRecordingUnknown');
  return recording;
}

function printTrack({ recordId }: Recording, track: TextTrack, origin: string) {
  const { kind, lang, label, source } = track;
  return { href: `${origin}/captions/${recordId}/${trackFileName(track)}`, kind, label, lang, source };
}

function required({ parameters }: ApiCall, name: string): string {
  const value = readText(parameters, name);
  if (value === undefined) throw new ApiRefusal('paramError', `Missing param ${name}.`);
  return value;
}

/** Normalizes the case: `pt-br` becomes `pt-BR`. */
function languageTag(text: string): string {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? text;
  } catch {
    throw refusal('trackLanguage');
  }
}

function response(content: object): Answer {
  return json(200, { response: content });
}
