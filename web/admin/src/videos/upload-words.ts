import { isGone } from '../../../kit/uploads/upload-queue.ts';

/** @param status HTTP status; undefined if there was no response */
export function describeUploadFailure(status: number | undefined): string {
  if (status === undefined) return 'The connection was lost. Resume the upload when you are online again.';
  if (isGone(status)) return 'The upload has expired. Try again to start over.';
  if (status === 507) return 'The media server has no space left. Ask its operator, then resume the upload.';
  return `The media server rejected the upload (status ${status}). Resume it, or delete it and start over.`;
}
