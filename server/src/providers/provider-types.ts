import { bigbluebutton } from './bigbluebutton/index.ts';
import { foyerMedia } from './foyer-media/index.ts';
import type { ProviderTypeDefinition } from './provider-type.ts';
import { scalelite } from './scalelite/index.ts';

/** All provider types of this release. The contract lists their properties in the same order. */
export const providerTypes: readonly ProviderTypeDefinition[] = [bigbluebutton, scalelite, foyerMedia];
