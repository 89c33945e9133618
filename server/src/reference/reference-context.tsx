/** @jsxImportSource preact */
import type { OpenApiDocument } from '@foyer/contract/openapi-document.ts';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** What every part of every page may need to know. */
export interface ReferenceState {
  readonly document: OpenApiDocument;
  /** The public address with `/api/v1`. */
  readonly server: string;
  /** The public address. */
  readonly root: string;
  /** What each error code says. */
  readonly meanings: ReadonlyMap<string, string>;
  /** Where each place is told: pages, objects, operations, topics, and entries of the catalogues, by name. */
  readonly hrefs: ReadonlyMap<string, string>;
}

export const ReferenceContext = createContext<ReferenceState | null>(null);

export function useReference(): ReferenceState {
  const state = useContext(ReferenceContext);
  if (!state) throw new Error('A part of the reference stands outside of it.');
  return state;
}

/** A link to a place by its name, on whichever page it is told. */
export function Link({ to, children }: { to: string; children: ComponentChildren }) {
  const { hrefs } = useReference();
  return <a href={hrefs.get(to) ?? `#${to}`}>{children}</a>;
}

/** Words in code, each with a link where there is a place of that name. */
export function LinkedCodes({ words }: { words: readonly string[] }) {
  const { hrefs } = useReference();
  return (
    <>
      {words.flatMap((word, index) => {
        const href = hrefs.get(word);
        return [
          ...(index > 0 ? [' '] : []),
          href ? (
            <a key={word} href={href}>
              <code>{word}</code>
            </a>
          ) : (
            <code key={word}>{word}</code>
          ),
        ];
      })}
    </>
  );
}
