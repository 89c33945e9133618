/** @jsxImportSource preact */
import type { ReferencePage } from '../reference-page.ts';
import { conventions } from './conventions.tsx';
import { errors } from './errors.tsx';
import { type Addresses, guidePage } from './guide-page.tsx';
import { lists } from './lists.tsx';
import { signingIn } from './signing-in.tsx';

/** What a newcomer reads first: getting in, and the manners that hold for every request. */
export function guidePages(addresses: Addresses): ReferencePage[] {
  return [signingIn(addresses), conventions(addresses), lists(addresses), errors()].map(guidePage);
}
