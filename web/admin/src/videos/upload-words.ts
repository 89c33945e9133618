/** "lesson_14.final.mp4" becomes "lesson 14.final". */
export function titleOf(fileName: string): string {
  const title = fileName
    .replace(/\.[^.]{1,5}$/, '')
    .replaceAll('_', ' ')
    .trim();
  return (title === '' ? fileName : title).slice(0, 150);
}

/** Whether the upload no longer exists on the media server. */
export function isGone(status: number | undefined): boolean {
  return status === 404 || status === 410;
}

/** @param status undefined if there was no answer */
export function describeUploadFailure(status: number | undefined): string {
  if (status === undefined) return 'The connection was lost. Resume the upload when you are online again.';
  if (isGone(status)) return 'The upload has expired. Try again to start over.';
  if (status === 507) return 'The media server has no space left. Ask its operator, then resume the upload.';
  return `The media server refused the upload (status ${status}). Resume it, or delete it and start over.`;
}
