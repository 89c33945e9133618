import type { ChecksumAlgorithm } from '../api/request/checksum.ts';

/** The configuration of a Scalelite. */
export interface ScaleliteOptions {
  /** MAX_MEETING_DURATION: the maximum duration of a meeting; 0, the default, for none. */
  maxMeetingMinutes?: number;
  /** GET_MEETINGS_API_DISABLED: getMeetings is empty. */
  getMeetingsDisabled?: boolean;
  /** RECORDING_DISABLED: there are no recordings. */
  recordingsDisabled?: boolean;
  /** GET_RECORDINGS_API_FILTERED: recordings are only listed by meeting or by their ids. */
  recordingsFiltered?: boolean;
  /**
   * LOADBALANCER_CHECKSUM_ALGORITHM: SHA-1, SHA-256 and SHA-512 by default. SHA-512 alone also signs
   * recording-ready callbacks with HS512.
   */
  checksumAlgorithms?: readonly ScaleliteAlgorithm[];
  /** The tags of the servers of the pool. */
  serverTags?: readonly string[];
}

export type ScaleliteAlgorithm = Exclude<ChecksumAlgorithm, 'sha384'>;

/** A load balancer with a pool of one server: the sandbox itself. */
export interface Balancer extends Required<ScaleliteOptions> {
  /** The shared secret between balancer and server. */
  serverSecret: string;
  serverState: ServerState;
  isServerOnline: boolean;
}

/** Cordoned: takes no new meetings. */
export const serverStates = ['enabled', 'cordoned', 'disabled'] as const;

export type ServerState = (typeof serverStates)[number];

export function createBalancer(options: ScaleliteOptions, serverSecret: string): Balancer {
  return {
    maxMeetingMinutes: options.maxMeetingMinutes ?? 0,
    getMeetingsDisabled: options.getMeetingsDisabled ?? false,
    recordingsDisabled: options.recordingsDisabled ?? false,
    recordingsFiltered: options.recordingsFiltered ?? false,
    checksumAlgorithms: options.checksumAlgorithms ?? ['sha1', 'sha256', 'sha512'],
    serverTags: options.serverTags ?? [],
    serverSecret,
    serverState: 'enabled',
    isServerOnline: true,
  };
}

/** The path of the balancer's only server. It is on the same host; real pools use separate hosts. */
export const serverPrefix = '/server-1/bigbluebutton/api';
