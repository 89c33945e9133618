import type { Answer } from '../http/answer.ts';
import { type CallDeclaration, calls } from './calls.ts';
import type { ChecksumAlgorithm } from './checksum.ts';
import type { ApiRefusal } from './refusals.ts';
import { success } from './xml.ts';

/** One way into the API: what it answers, and to whom. */
export interface Gateway {
  calls: ReadonlyMap<string, CallDeclaration>;
  root(): Answer;
  secrets: readonly string[];
  algorithms: readonly ChecksumAlgorithm[];
  /** Whether a browser whose join is refused is sent on with the reason. */
  redirectsRefusedJoins: boolean;
  /** The same refusal in the words of this way in. */
  reword(error: ApiRefusal): ApiRefusal;
}

export function serverGateway(secrets: readonly string[]): Gateway {
  const algorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
  return { calls, root: serverRoot, secrets, algorithms, redirectsRefusedJoins: true, reword: (error) => error };
}

function serverRoot(): Answer {
  return success({
    version: '2.0',
    apiVersion: '2.0',
    bbbVersion: '',
    html5PluginSdkVersion: '',
    graphqlWebsocketUrl: '',
    graphqlApiUrl: '',
  });
}
