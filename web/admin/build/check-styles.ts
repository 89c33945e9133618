import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Fails the build when a Mantine component is used whose style sheet is missing from `mantine.css`. */
export function checkStyles(mantineImports: string): Plugin {
  return {
    name: 'foyer-check-styles',
    apply: 'build',
    generateBundle(_options, bundle) {
      const usedComponents = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const [id, { renderedLength }] of Object.entries(chunk.modules)) {
          const [, core, component] = /^(.*@mantine\/core)\/esm\/.*?([A-Z]\w*)\.module\.mjs$/.exec(id) ?? [];
          if (core === undefined || component === undefined || renderedLength === 0) continue;
          if (existsSync(join(core, 'styles', `${component}.css`))) usedComponents.add(component);
        }
      }
      const missingStyles = [...usedComponents]
        .filter((component) => !mantineImports.includes(`/${component}.css'`))
        .sort();
      if (missingStyles.length > 0)
        this.error(`Import these styles in web/kit/theme/mantine.css: ${missingStyles.join(', ')}`);
    },
  };
}
