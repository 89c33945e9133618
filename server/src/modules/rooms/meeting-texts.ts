import { features } from '@foyer/contract/resources/packages/features.ts';
import { roomSettingDefaults } from '@foyer/contract/resources/rooms/room-settings.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Tx } from '../../events/change.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import { sessionServiceOf, type TextLimit } from '../../providers/provider-type.ts';
import { providerTypesOf } from '../service-providers/index.ts';
import type { RoomRow } from './store.ts';

type Texts = Pick<RoomRow, 'id' | 'subscription_id' | 'room_name' | 'room_settings'>;

/**
 * Some providers limit the length of the request that creates a meeting. Texts that cannot fit are rejected when they are
 * written, unless the change makes them shorter.
 * @throws 422 naming the long fields
 */
export async function refuseLongTexts(
  { providers, publicUrl }: Pick<Dependencies, 'providers' | 'publicUrl'>,
  tx: Tx,
  room: Texts,
  before: Texts | null,
): Promise<void> {
  const types = await providerTypesOf(tx, room.subscription_id);
  const limits = types.flatMap((type) => sessionServiceOf(providers.type(type))?.textLimit ?? []);
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
        `Together, the texts of the room are ${excess} bytes too long for its meeting server; this text has ${length} bytes.`,
      ];
  }
  throw invalidInput(faults);
}

/** Errors name only texts of at least this many encoded bytes. */
const notableLength = 100;

/** How many bytes the texts are too long in the worst case: with the feature values that make the request longest. */
function largestExcess(
  textLimit: TextLimit,
  publicUrl: string,
  { id, room_name: name, room_settings: settings }: Texts,
) {
  const disabledFeatures = features.flatMap(({ code, valueType }) =>
    valueType === 'flag' ? [[code, 'false'] as const] : [],
  );
  const callback = `${publicUrl}/callbacks/${'x'.repeat(callbackLength)}`;
  const plans = ['true', 'false'].map((mayUpload) => ({
    meetingId: id,
    serviceType: 'meet' as const,
    name,
    passwordSeed: '',
    features: new Map([
      ...disabledFeatures,
      ['recording', 'true'],
      ['presentation_upload', mayUpload],
      ['max_participants', '99999'],
      ['max_duration', '99999'],
    ]),
    settings: { ...roomSettingDefaults, ...(settings as Readonly<Record<string, unknown>>) },
    metadata: { 'foyer-room': id },
    callbacks: { ended: callback, analytics: callback, recordingReady: callback },
  }));
  return Math.max(...plans.map((plan) => textLimit.excessBytes(plan)));
}

/** An upper bound for the kind, id and token of a callback. */
const callbackLength = 100;
