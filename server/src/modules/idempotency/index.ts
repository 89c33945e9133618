import { defineModule } from '../../module.ts';
import { idempotencyJobs } from './jobs.ts';
import { idempotencyBodies } from './keys.ts';

export { idempotencyBodies, keepIdempotencyKeys } from './keys.ts';

export const idempotency = defineModule({
  name: 'idempotency',
  jobs: idempotencyJobs,
  encryptedColumns: [idempotencyBodies],
});
