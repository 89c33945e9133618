import './node-version.mjs';

void import('./run-bundle.mjs').then(({ runBundle }) => runBundle('media', process.argv.slice(2)));
