import type { ComponentChild } from 'preact';

/** One page of the reference, at `/docs/<slug>`. */
export interface ReferencePage {
  readonly slug: string;
  readonly title: string;
  /** What it is about, in a sentence. */
  readonly lead: string;
  readonly group: string;
  readonly places: readonly Place[];
  readonly content: () => ComponentChild;
}

/** What stands on a page under a name of its own, to which links lead. */
export interface Place {
  readonly id: string;
  readonly title: string;
  /** Of an operation. */
  readonly verb?: string;
  readonly route?: string;
  /** Entries of catalogues are not in the contents. */
  readonly isEntry?: boolean;
  /** What a search finds it by, besides its title. */
  readonly words: () => string;
}

export function hrefOf({ slug }: Pick<ReferencePage, 'slug'>, id?: string): string {
  return `/docs/${slug}${id === undefined ? '' : `#${id}`}`;
}
