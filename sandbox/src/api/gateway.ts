import type { Answer } from '../http/answer.ts';
import { type CallDeclaration, calls } from './calls.ts';
import type { ChecksumAlgorithm } from './request/checksum.ts';
import type { ApiRefusal } from './request/refusals.ts';
import { success } from './request/xml.ts';

/** An entry point of the API with its calls and secrets. */
export interface Gateway {
  calls: ReadonlyMap<string, CallDeclaration>;
  root(): Answer;
  secrets: readonly string[];
  algorithms: readonly ChecksumAlgorithm[];
  /** Whether a refused join redirects the browser with the reason. */
  redirectsRefusedJoins: boolean;
  /** The refusal with the message of this gateway: Scalelite has other messages than BigBlueButton. */
  translateRefusal(error: ApiRefusal): ApiRefusal;
}

export function serverGateway(secrets: readonly string[]): Gateway {
  const algorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
  return {
    calls,
    root: serverRoot,
    secrets,
    algorithms,
    redirectsRefusedJoins: true,
    translateRefusal: (error) => error,
  };
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
