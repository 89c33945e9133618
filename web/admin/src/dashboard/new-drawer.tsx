import { useEffect } from 'react';
import { useCreation } from '../resource/actions/use-creation.tsx';
import type { Noun } from '../../../kit/noun/noun.ts';

/** The creation form of a resource. It opens when it is rendered. */
export function NewDrawer({ noun }: { readonly noun: Noun }) {
  const { open, drawer } = useCreation(noun);
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => open(), []);
  return drawer;
}
