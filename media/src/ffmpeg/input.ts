/**
 * The options of every input: containers of media alone, from files alone. A playlist, a list for concatenation or a
 * picture that names other files or addresses is refused, whatever it is called.
 */
export const inputOptions: readonly string[] = [
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  'mov,mp4,m4a,3gp,matroska,webm,avi,mpegts,mpeg,flv,ogg,asf,mxf,mp3,wav,flac,aac',
];
