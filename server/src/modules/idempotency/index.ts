import { defineModule } from '../../module.ts';
import { idempotencyJobs } from './jobs.ts';
import { idempotencyBodyColumn } from './keys.ts';

export { idempotencyBodyColumn, createIdempotencyKeys } from './keys.ts';

export const idempotency = defineModule({
  name: 'idempotency',
  jobs: idempotencyJobs,
  encryptedColumns: [idempotencyBodyColumn],
});
