import type { Dependencies } from '../../../dependencies.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { signLink } from '../../../platform/crypto/signed-link.ts';

/**
 * A signed link to the path, which needs no other credential for the minutes of the setting `playback_link_minutes`.
 */
export function signPlaybackLink(
  { linkSeed, clock, settings, publicUrl }: Pick<Dependencies, 'linkSeed' | 'clock' | 'settings' | 'publicUrl'>,
  path: string,
): { url: string; expires_at: string } {
  const minutes = settings().playback_link_minutes;
  const { url, expiresAtMs } = signLink({ seed: linkSeed, nowMs: clock.nowMs(), minutes }, publicUrl(), path);
  return { url, expires_at: instantOfMicroseconds(expiresAtMs * 1000) };
}
