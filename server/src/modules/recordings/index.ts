export { linkThatEnds } from './link-that-ends.ts';
export { recordingView } from './transformer.ts';
