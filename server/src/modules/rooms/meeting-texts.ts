import { features } from '@foyer/contract/resources/features.ts';
import { roomSettingDefaults } from '@foyer/contract/resources/room-settings.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Tx } from '../../events/change.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { TextLimit } from '../../providers/provider-type.ts';
import { providerTypesOf } from '../service-providers/index.ts';
import type { RoomRow } from './store.ts';

type Texts = Pick<RoomRow, 'id' | 'subscription_id' | 'room_name' | 'room_settings'>;

/**
 * A provider may limit how long the request is that opens a meeting. Texts that never fit are refused where they are
 * written, unless the change makes them shorter.
 * @throws 422 that names the long ones
 */
export async function refuseLongTexts(
  { providers, publicUrl }: Pick<Dependencies, 'providers' | 'publicUrl'>,
  tx: Tx,
  room: Texts,
  before: Texts | null,
): Promise<void> {
  const types = await providerTypesOf(tx, room.subscription_id);
  const limits = types.flatMap((type) => providers.type(type)?.meet?.textLimit ?? []);
  const excessOf = (texts: Texts) => Math.max(0, ...limits.map((limit) => largestExcess(limit, publicUrl(), texts)));
  const excess = excessOf(room);
  if (excess === 0 || (before !== null && excess <= excessOf(before))) return;
  const settings = room.room_settings as Readonly<Record<string, unknown>>;
  const faults: FieldFaults = {};
  for (const [field, value] of [
    ['room_name', room.room_name],
    ...[...new Set(limits.flatMap((limit) => limit.settings))].map((name) => [`room_settings.${name}`, settings[name]]),
  ] as const) {
    const length = typeof value === 'string' ? encodeURIComponent(value.toWellFormed()).length : 0;
    if (length >= notableLength)
      faults[String(field)] = [
        `Together, the texts of the room are ${excess} bytes too long for its meeting server; this one has ${length}.`,
      ];
  }
  throw invalidInput(faults);
}

/** Shorter texts are not named: the others alone are too long. */
const notableLength = 100;

/** Whatever the features of the room will be: each setting of them is as long as it can get. */
function largestExcess(
  textLimit: TextLimit,
  publicUrl: string,
  { id, room_name: name, room_settings: settings }: Texts,
) {
  const off = features.flatMap(({ code, valueType }) => (valueType === 'flag' ? [[code, 'false'] as const] : []));
  const callback = `${publicUrl}/callbacks/${'x'.repeat(callbackLength)}`;
  const plans = ['true', 'false'].map((mayUpload) => ({
    meetingId: id,
    name,
    passwordSeed: '',
    features: new Map([
      ...off,
      ['recording', 'true'],
      ['presentation_upload', mayUpload],
      ['max_participants', '99999'],
      ['max_duration', '99999'],
    ]),
    settings: { ...roomSettingDefaults, ...(settings as Readonly<Record<string, unknown>>) },
    metadata: { 'foyer-room': id },
    callbacks: { ended: callback, analytics: callback, recordingReady: callback },
  }));
  return Math.max(...plans.map((plan) => textLimit.excess(plan)));
}

/** At least as long as the kind of a callback, its id and its token. */
const callbackLength = 100;
