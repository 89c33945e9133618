/** Captures the current picture of the player in an iframe, as JPEG; null if the player shows none. */
export async function captureFrame(frame: HTMLIFrameElement | null): Promise<Blob | null> {
  const player = frame?.contentDocument?.querySelector('hls-video');
  const video = player?.shadowRoot?.querySelector('video');
  if (!video || video.videoWidth === 0) return null;
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9));
}
