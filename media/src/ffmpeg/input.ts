/** 8192 by 4320 */
export const maximumPixels = 35_389_440;

/**
 * The options of every input: containers of media alone, from files alone. A playlist, a list for concatenation or a
 * picture that names other files or addresses is refused, whatever it is called.
 */
export const inputOptions: readonly string[] = [
  // Also for pictures that grow in the middle of a file, which its headers do not tell.
  '-max_pixels',
  String(maximumPixels),
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  'mov,mp4,m4a,3gp,matroska,webm,avi,mpegts,mpeg,flv,ogg,asf,mxf,mp3,wav,flac,aac',
];
