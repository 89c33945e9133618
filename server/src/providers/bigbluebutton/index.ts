import { findProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { ProviderTypeDefinition } from '../provider-type.ts';
import { bigbluebuttonCapabilities, createBigBlueButton } from './adapter.ts';
import { createConnection, originOf, serverKey } from './connection.ts';
import { parseHostUrl } from './host-url.ts';

export const bigbluebutton: ProviderTypeDefinition = {
  declaration: findProviderType('bigbluebutton'),
  parsers: { host_url: parseHostUrl },
  serverKey,
  meet: {
    capabilities: bigbluebuttonCapabilities,
    connect: (connection) => createBigBlueButton(createConnection(connection, bigbluebuttonCapabilities)),
    joinTargets: (properties) => originOf(properties),
  },
};
