import type { OutputPlan } from '../outputs/output.ts';
import { invalid } from '../http/answer.ts';
import {
  requireCallback,
  requireText,
  requireUuid,
  requireWhole,
  requireWord,
  readWholeOrNull,
} from '../http/json-members.ts';

type Json = Readonly<Record<string, unknown>>;

/** The stream of a room as the platform has configured it. */
export interface StreamPlan {
  readonly roomId: string;
  readonly serviceType: 'live' | 'simulcast';
  readonly callbackUrl: string;
  readonly isLowLatency: boolean;
  readonly dvrMinutes: number;
  readonly isRecorded: boolean;
  /** The shorter sides of the lower renditions, in pixels. */
  readonly ladder: readonly number[];
  /** A picture whose shorter side is larger is not delivered; null for any size. */
  readonly maxHeight: number | null;
  readonly maxBitrateKbps: number | null;
  readonly maxDurationMinutes: number | null;
  readonly sourceUrl: string | null;
  readonly outputs: readonly OutputPlan[];
  /** Whether viewers can watch the stream. */
  readonly hasViewers: boolean;
  readonly arePrivateAddressesAllowed: boolean;
}

const sourceProtocols = ['rtmp:', 'rtmps:', 'srt:', 'rtsp:', 'https:'];
const outputProtocols = ['rtmp:', 'rtmps:'];
const maxDvrMinutes = 1440;
const maxOutputs = 100;
const maxRenditions = 6;

/** @throws Refusal 422 */
export function readStreamPlan(roomId: string, json: Json): StreamPlan {
  const dvrMinutes = requireWhole(json, 'dvr_minutes');
  if (dvrMinutes > maxDvrMinutes) throw invalid(`dvr_minutes must be at most ${maxDvrMinutes}.`);
  return {
    roomId,
    serviceType: requireWord(json, 'service_type', ['live', 'simulcast']),
    callbackUrl: requireCallback(json),
    isLowLatency: requireWord(json, 'latency_mode', ['normal', 'low']) === 'low',
    dvrMinutes,
    isRecorded: readFlag(json, 'record'),
    ladder: readLadder(json),
    maxHeight: readWholeOrNull(json, 'max_height'),
    maxBitrateKbps: readWholeOrNull(json, 'max_bitrate_kbps'),
    maxDurationMinutes: readWholeOrNull(json, 'max_duration_minutes'),
    sourceUrl: readSource(json),
    outputs: readOutputs(json),
    hasViewers: readFlag(json, 'has_viewers'),
    arePrivateAddressesAllowed: readFlag(json, 'allow_private_addresses'),
  };
}

function readFlag(json: Json, name: string): boolean {
  const value = json[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw invalid(`${name} must be true or false.`);
}

function readLadder({ ladder = [] }: Json): number[] {
  const isValid = (height: unknown) => Number.isInteger(height) && Number(height) >= 120 && Number(height) <= 2160;
  if (!Array.isArray(ladder) || ladder.length > maxRenditions || !ladder.every(isValid))
    throw invalid(`ladder must be at most ${maxRenditions} heights from 120 to 2160.`);
  return [...new Set(ladder as number[])].sort((a, b) => b - a);
}

function readSource({ source }: Json): string | null {
  if (source !== undefined && source !== null && typeof source !== 'object') throw invalid('source must be an object.');
  const url = (source as Json | null | undefined)?.['url'] ?? null;
  return url === null ? null : requireAddress(url, sourceProtocols, 'source.url');
}

function readOutputs({ outputs = [] }: Json): OutputPlan[] {
  if (!Array.isArray(outputs) || outputs.length > maxOutputs)
    throw invalid(`outputs must be a list of at most ${maxOutputs} outputs.`);
  if (outputs.some((output) => typeof output !== 'object' || output === null))
    throw invalid('outputs must be a list of objects.');
  return (outputs as Json[]).map((output) => ({
    id: requireUuid(output['id'], 'outputs.id'),
    url: requireAddress(output['url'], outputProtocols, 'outputs.url'),
    streamKey: (output['stream_key'] ?? '') === '' ? '' : requireText(output, 'stream_key'),
    enabled: readFlag(output, 'enabled'),
  }));
}

function requireAddress(value: unknown, protocols: readonly string[], name: string): string {
  const isValid =
    typeof value === 'string' && value.length <= 2048 && /^[\x21-\x7e]+$/.test(value) && URL.canParse(value);
  const url = isValid ? new URL(value) : null;
  if (!url || !protocols.includes(url.protocol) || url.hostname === '')
    throw invalid(
      `${name} must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(', ')}.`,
    );
  return url.href;
}
