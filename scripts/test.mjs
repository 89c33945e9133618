import './node-version.mjs';

void import('./run-tests.mjs').then(({ runTests }) => runTests(process.argv.slice(2)));
