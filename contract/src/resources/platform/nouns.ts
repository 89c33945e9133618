import type { Nouns, Tags } from '../../conventions/noun.ts';

export const nouns = {
  settings: {
    permissions: { settings: { read: [], update: [] } },
    events: { updated: 'The settings of the platform were changed.' },
  },
  keys: { events: { rotated: 'The encryption keys of the installation were rotated.' } },
  mail: { object: 'Mail', prefix: 'mail' },
} as const satisfies Nouns;

export const tags: Tags = {
  Settings: 'Settings of the whole platform.',
  Reports: 'Summaries of sales and usage.',
};
