import type { Answer } from '../http/answer.ts';
import type { World } from '../world/world.ts';
import type { Parameters } from './parameters.ts';

/** A call whose checksum has been verified. */
export interface ApiCall {
  world: World;
  /** Scheme and host as the caller sees them. */
  origin: string;
  /** From query and body together. */
  parameters: Parameters;
  /** The body when it was XML. */
  xml: string | null;
}

export type CallHandler = (call: ApiCall) => Answer;
