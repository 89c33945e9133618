export { keepIdempotencyKeys } from './keys.ts';
