import { findProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import { createConnection, originOf, serverKey } from '../bigbluebutton/connection.ts';
import { createParameters, textParameters } from '../bigbluebutton/create-parameters.ts';
import { parseHostUrl } from '../bigbluebutton/host-url.ts';
import { encodeParameters } from '../bigbluebutton/request/signed-request.ts';
import type { ProviderTypeDefinition } from '../provider-type.ts';
import { createScalelite, maximumCreateLength, scaleliteCapabilities } from './adapter.ts';

export const scalelite: ProviderTypeDefinition = {
  declaration: findProviderType('scalelite'),
  parsers: { host_url: parseHostUrl },
  serverKey,
  meet: {
    capabilities: scaleliteCapabilities,
    connect: (connection) => createScalelite(createConnection(connection, scaleliteCapabilities)),
    // The load balancer redirects to its own servers, whose addresses are unknown here.
    joinTargets: (properties) => originOf(properties).flatMap((origin) => [origin, new URL(origin).protocol]),
    textLimit: {
      excessBytes: (plan) => Math.max(0, encodeParameters(createParameters(plan)).length - maximumCreateLength),
      settings: Object.keys(textParameters),
    },
  },
};
