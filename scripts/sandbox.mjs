import './node-version.mjs';

void import('./run-bundle.mjs').then(({ runBundle }) => runBundle('sandbox', process.argv.slice(2)));
