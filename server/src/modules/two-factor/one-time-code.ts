import { verifySync } from 'otplib/functional';
import { renderSVG } from 'uqr';

/** An SVG image in a data URL. */
export function qrCodeOf(text: string): string {
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { ecc: 'M', border: 2 }))}`;
}

/** The time step of the code, if it is the current, previous or next one. */
export function timeStepOf(code: string, secret: string, nowMs: number): number | null {
  if (!isOneTimeCode(code)) return null;
  const result = verifySync({ secret, token: code, epoch: Math.floor(nowMs / 1000), epochTolerance: toleranceSeconds });
  // The type of the result also covers HOTP, which has no time step.
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}

export function isOneTimeCode(text: string): boolean {
  return /^[0-9]{6}$/.test(text);
}

const toleranceSeconds = 30;
