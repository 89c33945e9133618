// Imported first, in syntax that old versions of Node can parse.

/**
 * The problem with this version of Node, or null.
 *
 * @param {string} version such as `20.19.0`
 * @returns {string | null}
 */
export function nodeVersionFault(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return isEnough ? null : 'Foyer needs Node.js 20.19 or newer, but this is ' + version + '. See https://nodejs.org';
}

const fault = nodeVersionFault(process.versions.node);
if (fault !== null) {
  console.error(fault);
  process.exit(1);
}
