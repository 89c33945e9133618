/** Why the embedded PostgreSQL cannot run, in one sentence for the operator. */
export class EmbeddedPostgresError extends Error {}
