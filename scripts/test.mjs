import './node-version.mjs';

void import('./suites/run-tests.mjs').then(({ runTests }) => runTests(process.argv.slice(2)));
