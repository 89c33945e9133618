import type { Answer } from '../../http/answer.ts';
import type { UploadedFile } from '../../http/body.ts';
import type { World } from '../../world/world.ts';
import type { Parameters } from './parameters.ts';

/** A call whose checksum has been verified, if it needs one. */
export interface ApiCall {
  world: World;
  /** Scheme and host as the caller sees them. */
  origin: string;
  /** The parameters of query and body. */
  parameters: Parameters;
  /** The XML body. */
  xml: string | null;
  /** The JSON object of the body. */
  json: Record<string, unknown> | null;
  /** The files of a multipart form, by the name of the field. */
  files: ReadonlyMap<string, UploadedFile>;
}

export type CallHandler = (call: ApiCall) => Answer;
