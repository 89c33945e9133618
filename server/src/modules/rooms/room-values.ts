import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { normalizeFeatureValue } from '@foyer/contract/resources/packages/feature-value.ts';
import { meetRoomSettings, roomSettings } from '@foyer/contract/resources/rooms/room-settings.ts';
import { object, optional } from '@foyer/contract/conventions/field.ts';
import slugify from '@sindresorhus/slugify';
import type { TSchema } from 'typebox';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import { withoutUndefined } from '../../platform/immutable.ts';
import { parseInput } from '../../platform/http/input/parse-input.ts';

export interface RoomValues {
  readonly room_name?: string;
  readonly slug?: string;
  readonly room_features?: Record<string, unknown> | null;
  readonly room_settings?: Record<string, unknown> | null;
}

/**
 * Validates known features and settings; unknown ones are stored as they are.
 * @throws 422 naming every invalid field.
 */
export function readRoomValues(input: RoomValues, roomType: string) {
  const faults: FieldFaults = {};
  if (input.room_name !== undefined && !/[\p{L}\p{N}\p{P}\p{S}]/u.test(input.room_name))
    faults['room_name'] = ['The room name must have at least one visible character.'];
  const slug = input.slug === undefined ? undefined : slugify(input.slug).slice(0, 150);
  if (slug === '') faults['slug'] = ['The slug must have at least one letter or digit.'];
  const features = input.room_features === undefined ? undefined : checkFeatures(input.room_features ?? {}, faults);
  const settings =
    input.room_settings === undefined ? undefined : checkSettings(input.room_settings ?? {}, roomType, faults);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  return withoutUndefined({ slug, room_features: features, room_settings: settings });
}

export function slugOf(roomName: string): string {
  return slugify(roomName).slice(0, 150) || 'room';
}

type Values = Record<string, unknown>;

function checkFeatures(features: Values, faults: FieldFaults): Values {
  for (const [tag, value] of Object.entries(features)) {
    const feature = findFeature(tag);
    if (!feature || value === null) continue;
    const normalized = normalizeFeatureValue(feature, value);
    if (!normalized.ok) faults[`room_features.${tag}`] = [normalized.message];
  }
  return features;
}

const commonSettings = settingsSchema(roomSettings);
const meetSettings = settingsSchema({ ...roomSettings, ...meetRoomSettings });

function checkSettings(settings: Values, roomType: string, faults: FieldFaults): Values {
  const parsed = parseInput(roomType === 'meet' ? meetSettings : commonSettings, settings, 'create');
  if ('faults' in parsed) {
    for (const [name, sentences] of Object.entries(parsed.faults)) faults[`room_settings.${name}`] = sentences;
    return settings;
  }
  return { ...settings, ...parsed.values };
}

function settingsSchema(settings: Record<string, TSchema>) {
  return object(Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, optional(schema)])));
}
