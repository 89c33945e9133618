/** @jsxImportSource preact */
import type { OpenApiDocument } from '@foyer/contract/openapi/document.ts';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The values that all parts of a page share. */
export interface ReferenceState {
  readonly document: OpenApiDocument;
  /** The public address with `/api/v1`. */
  readonly server: string;
  /** The public address. */
  readonly root: string;
  /** The meaning of each error code. */
  readonly meanings: ReadonlyMap<string, string>;
  /** The address of each page, object, operation (`createRoom` and `POST /rooms`), section and catalogue entry. */
  readonly hrefs: ReadonlyMap<string, string>;
}

export const ReferenceContext = createContext<ReferenceState | null>(null);

export function useReference(): ReferenceState {
  const state = useContext(ReferenceContext);
  if (!state) throw new Error('useReference needs a ReferenceContext.');
  return state;
}

/** A link by name: see `hrefs`. */
export function Link({ to, children }: { to: string; children: ComponentChildren }) {
  const { hrefs } = useReference();
  return <a href={hrefs.get(to) ?? `#${to}`}>{children}</a>;
}

/** Inline code, linked where `hrefs` has the word. */
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
