import './node-version.mjs';

void import('./run-bundle.mjs').then(({ runBundle }) => runBundle('bench', process.argv.slice(2)));
