import { Text } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { LinkAnchor } from '../../../../kit/display/links.ts';
import type { Noun, Row } from '../../../../kit/noun/noun.ts';

/** Links to the resources that block the action, if any. */
export function RefusalHelp(props: { readonly noun: Noun; readonly row: Row; readonly failure: unknown }) {
  const { noun, row, failure } = props;
  const helpLink = failure instanceof FoyerError ? noun.refusalLinks?.[failure.code] : undefined;
  if (helpLink === undefined) return null;
  return (
    <Text inherit mt={4}>
      <LinkAnchor
        to="/$noun/$id"
        params={{ noun: noun.path, id: row.id }}
        search={{ tab: helpLink.tab }}
        target="_blank"
        inherit
        underline="always"
      >
        {helpLink.label}
      </LinkAnchor>
    </Text>
  );
}
