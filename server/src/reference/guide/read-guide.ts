import { readFileSync } from 'node:fs';
import { isBundled } from '../../platform/is-bundled.ts';

export interface GuideFile {
  /** The file name without `.md`, and the last part of the page's address. */
  readonly slug: string;
  readonly markdown: string;
}

/** The files of `docs/guide`, in the order of the list in its README. */
export function readGuide(): GuideFile[] {
  const folder = guideFolder();
  const index = readFileSync(new URL('README.md', folder), 'utf8');
  return [...index.matchAll(/^- \[.+\]\(([\w-]+)\.md\)$/gm)].map(([, slug = '']) => ({
    slug,
    markdown: readFileSync(new URL(`${slug}.md`, folder), 'utf8'),
  }));
}

export function guideFolder(): URL {
  return new URL(isBundled ? '../../docs/guide/' : '../../../../docs/guide/', import.meta.url);
}
