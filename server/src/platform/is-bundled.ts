/** Whether this program is the bundle in `server/dist/`. The sources are TypeScript. */
export const isBundled = !import.meta.url.endsWith('.ts');
