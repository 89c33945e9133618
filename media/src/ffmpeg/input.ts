/** 8192 by 4320 */
export const maximumPixels = 35_389_440;

/**
 * The options of every input: only media containers, and only files. Playlists, concatenation lists and images that
 * refer to other files or addresses are rejected, with any file name.
 */
export const inputOptions: readonly string[] = [
  // Also limits pictures that become larger in the middle of a file, which the headers do not show.
  '-max_pixels',
  String(maximumPixels),
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  'mov,mp4,m4a,3gp,matroska,webm,avi,mpegts,mpeg,flv,ogg,asf,mxf,mp3,wav,flac,aac',
];
