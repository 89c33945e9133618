import type { OutputRow } from '../nouns/rows.ts';

export type Platform = OutputRow['platform'];

interface PlatformText {
  readonly name: string;
  /** Where the platform shows the stream key, or which servers are supported. */
  readonly description: string;
  /** Where to find the stream key, if the description does not say it. */
  readonly keyHint?: string;
  readonly needsAddress: boolean;
}

export const platforms: Readonly<Record<Platform, PlatformText>> = {
  youtube: { name: 'YouTube', description: 'YouTube Studio → Create → Go live → Stream', needsAddress: false },
  facebook: { name: 'Facebook', description: 'Live Producer → Streaming software', needsAddress: false },
  twitch: { name: 'Twitch', description: 'Creator Dashboard → Settings → Stream', needsAddress: false },
  linkedin: {
    name: 'LinkedIn',
    description: 'LinkedIn Live → Custom stream. Address and key are different for each event',
    needsAddress: true,
  },
  custom: {
    name: 'Custom',
    description: 'Any server that accepts RTMP',
    keyHint: 'From the operator of the server',
    needsAddress: true,
  },
};

export const platformNames = Object.keys(platforms) as Platform[];

export const outputStateTexts: Readonly<
  Record<OutputRow['state'], { readonly title: string; readonly color: string }>
> = {
  idle: { title: 'Waiting', color: 'gray' },
  connecting: { title: 'Connecting', color: 'blue' },
  live: { title: 'Live', color: 'pine' },
  reconnecting: { title: 'Reconnecting', color: 'orange' },
  failed: { title: 'Failed', color: 'red' },
};
