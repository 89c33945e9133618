import type { Dependencies } from '../../../dependencies.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { signLink, signNewLink } from '../../../platform/crypto/signed-link.ts';
import { invalidInput } from '../../../platform/failures.ts';
import { formatsOf } from './formats.ts';
import { playbackPath } from './playback-path.ts';
import type { RecordingRow } from '../store.ts';

/**
 * A signed link to the path, which needs no other credential for the minutes of the setting `playback_link_minutes`.
 */
export function signPlaybackLink(
  { linkKey, clock, settings, publicUrl }: Pick<Dependencies, 'linkKey' | 'clock' | 'settings' | 'publicUrl'>,
  path: string,
): { url: string; expires_at: string } {
  const minutes = settings().playback_link_minutes;
  const { url, expiresAtMs } = signLink({ key: linkKey, nowMs: clock.nowMs(), minutes }, publicUrl(), path);
  return { url, expires_at: instantOfMicroseconds(expiresAtMs * 1000) };
}

/**
 * A link to one format of the recording, with an expiry that the caller chooses.
 * @throws 422 for a format that cannot be watched, and for more minutes than the setting `playback_link_minutes`
 */
export function signLinkToFormat(
  { linkKey, clock, settings, publicUrl }: Pick<Dependencies, 'linkKey' | 'clock' | 'settings' | 'publicUrl'>,
  recording: RecordingRow,
  { type, minutes }: { readonly type: string; readonly minutes?: number | null },
): { type: string; url: string; expires_at: string } {
  const maxMinutes = settings().playback_link_minutes;
  const types = formatsOf(recording).map((format) => format.type);
  const faults = {
    ...(types.includes(type)
      ? {}
      : {
          type: [
            types.length === 0
              ? 'The recording is not published, so it cannot be watched.'
              : `The type must be one of ${types.join(', ')}.`,
          ],
        }),
    ...((minutes ?? maxMinutes) > maxMinutes
      ? { minutes: [`The minutes field must not be greater than ${maxMinutes}, the setting playback_link_minutes.`] }
      : {}),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const terms = { key: linkKey, nowMs: clock.nowMs(), minutes: minutes ?? maxMinutes };
  const { url, expiresAtMs } = signNewLink(terms, publicUrl(), playbackPath(recording.id, type));
  return { type, url, expires_at: instantOfMicroseconds(expiresAtMs * 1000) };
}
