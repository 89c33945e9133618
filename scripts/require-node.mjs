// Imported before anything else, so that an older Node says what is missing instead of tripping over newer syntax.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Foyer needs Node.js 20.19 or newer; this is ${process.version}.`);
  process.exit(1);
}
