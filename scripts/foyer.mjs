import './node-version.mjs';

void import('./run-bundle.mjs').then(({ runBundle }) => runBundle('server', process.argv.slice(2)));
