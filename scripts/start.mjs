import './node-version.mjs';

void import('./run-bundle.mjs').then(({ runBundle }) => runBundle('server', ['start', ...process.argv.slice(2)]));
