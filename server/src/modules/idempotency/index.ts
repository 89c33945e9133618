export { idempotencyBodies, keepIdempotencyKeys } from './keys.ts';
