import type { Plugin } from 'vite';

const stylesheets = /[ \t]*<link rel="stylesheet"[^>]*>\n?/g;

/**
 * Moves style sheets between the static start screen, which is painted without waiting for them, and the root of the
 * application, whose own styles must come later in the cascade.
 */
export function paintEarly(): Plugin {
  return {
    name: 'foyer-paint-early',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html
          .replaceAll(stylesheets, '')
          .replace('<div id="root">', `${html.match(stylesheets)?.join('') ?? ''}<div id="root">`),
    },
  };
}
