import { findProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import { parseServerUrl } from '../http/server-url.ts';
import type { MediaService, Properties, ProviderTypeDefinition } from '../provider-type.ts';
import { createFoyerMedia, foyerMediaCapabilities } from './adapter.ts';
import { connectMedia } from './connection.ts';

const service: MediaService = {
  capabilities: foyerMediaCapabilities,
  connect: (connection) => createFoyerMedia(connectMedia(connection)),
  // The watch page belongs to the platform.
  joinTargets: () => [],
};

export const foyerMedia: ProviderTypeDefinition = {
  declaration: findProviderType('foyer-media'),
  parsers: {
    host_url: (text) => parseServerUrl('host_url', text, (path) => path),
    public_url: (text) => parseServerUrl('public_url', text, (path) => path),
  },
  serverKey: (properties: Properties) => String(properties['host_url']),
  video: service,
  live: service,
  simulcast: service,
};
