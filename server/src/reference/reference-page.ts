import type { ComponentChild } from 'preact';

/** One page of the reference, at `/docs/<slug>`. */
export interface ReferencePage {
  readonly slug: string;
  readonly title: string;
  /** One sentence about the page. */
  readonly lead: string;
  readonly group: string;
  readonly anchors: readonly DocAnchor[];
  readonly content: () => ComponentChild;
}

/** A section of a page that links can point to. */
export interface DocAnchor {
  readonly id: string;
  readonly title: string;
  /** The method and the path; set only for operations. */
  readonly verb?: string;
  readonly route?: string;
  /** Entries of catalogues are not listed in the contents. */
  readonly isEntry?: boolean;
  /** Search terms in addition to the title. */
  readonly words: () => string;
}

export function hrefOf({ slug }: Pick<ReferencePage, 'slug'>, id?: string): string {
  return `/docs/${slug}${id === undefined ? '' : `#${id}`}`;
}
