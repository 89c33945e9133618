import type { Dependencies } from '../../../dependencies.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { signLink } from '../../../platform/crypto/signed-link.ts';

/** A link to the path that is good for whoever has it, for as long as the setting `playback_link_minutes` says. */
export function linkThatEnds(
  { linkSeed, clock, settings, publicUrl }: Pick<Dependencies, 'linkSeed' | 'clock' | 'settings' | 'publicUrl'>,
  path: string,
): { url: string; expires_at: string } {
  const minutes = settings().playback_link_minutes;
  const { url, expiresAtMs } = signLink({ seed: linkSeed, nowMs: clock.nowMs(), minutes }, publicUrl(), path);
  return { url, expires_at: instantOfMicroseconds(expiresAtMs * 1000) };
}
