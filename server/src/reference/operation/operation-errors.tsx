/** @jsxImportSource preact */
import { Prose } from '../prose.tsx';
import type { ReferenceOperation } from '../read-document.ts';
import { Link, LinkedCodes, useReference } from '../reference-context.tsx';

/** Errors that any request can have. The guide lists them. */
export const codesOfEveryRequest = [
  'malformed-request',
  'https-required',
  'too-many-requests',
  'internal-error',
  'database-unavailable',
  'database-read-only',
  'query-too-expensive',
] as const;
export const codesOfEveryBody = ['malformed-json', 'body-too-large', 'unsupported-media-type'] as const;
export const codesOfEveryKey = [
  'idempotency-key-in-use',
  'idempotency-key-reused',
  'idempotent-answer-not-kept',
] as const;
const impliedCodes: ReadonlySet<string> = new Set([
  ...codesOfEveryRequest,
  ...codesOfEveryBody,
  ...codesOfEveryKey,
  'address-too-long',
]);

const commonCodes: ReadonlySet<string> = new Set([
  'unauthenticated',
  'forbidden',
  'wrong-population',
  'missing-read-permission',
  'second-factor-enrollment-required',
  'precondition-failed',
  'not-found',
  'conflict',
  'validation-failed',
  'unknown-query-field',
]);

/** The endpoint's own errors with their meaning, and common errors by status. */
export function Errors({ endpoint }: { endpoint: ReferenceOperation }) {
  const { meanings } = useReference();
  const ownErrors = endpoint.errors.flatMap(({ status, codes }) =>
    codes.filter((code) => !commonCodes.has(code) && !impliedCodes.has(code)).map((code) => ({ status, code })),
  );
  return (
    <>
      <h3>
        Errors <Link to="common-errors">in addition to the common errors</Link>
      </h3>
      {ownErrors.length > 0 && (
        <table class="members errors">
          <tbody>
            {ownErrors.map(({ status, code }) => (
              <tr key={code}>
                <th>
                  <b>{status}</b>
                </th>
                <td>
                  <LinkedCodes words={[code]} />
                  <p>
                    <Prose text={meanings.get(code) ?? ''} />
                  </p>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="common-errors">
        {endpoint.errors.map(({ status, codes }) => {
          const common = codes.filter((code) => commonCodes.has(code));
          return common.length === 0 ? null : (
            <span key={status}>
              <b>{status}</b> {common.join(', ')}
            </span>
          );
        })}
      </p>
    </>
  );
}
