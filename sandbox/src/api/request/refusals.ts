/** An error of the API: HTTP 200, returncode FAILED, a key and a text. */
export class ApiRefusal extends Error {
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.name = 'ApiRefusal';
    this.key = key;
  }
}

export function refusal(name: RefusalName): ApiRefusal {
  const [key, message] = refusals[name];
  return new ApiRefusal(key, message);
}

export function invalid(message: string): ApiRefusal {
  return new ApiRefusal('validationError', message);
}

export type RefusalName = keyof typeof refusals;

/** Key and text of every refusal whose text is fixed. */
export const refusals = {
  checksumMismatch: ['checksumError', 'Checksums do not match'],
  checksumMissing: ['checksumError', 'You must provide the checksum'],
  contentType: ['unsupportedContentType', 'POST request Content-Type is missing or unsupported'],
  unsupportedRequest: ['unsupportedRequest', 'This request is not supported.'],
  meetingIdMissing: ['missingParamMeetingID', 'You must provide a meeting ID'],
  meetingIdSize: ['sizeError', 'Meeting ID must be between 2 and 256 characters'],
  meetingIdComma: ['validationError', "Meeting ID cannot contain ','"],
  nameMissing: ['nullError', 'You must provide a meeting name'],
  nameEmpty: ['emptyError', 'You must provide a meeting name'],
  nameSize: ['sizeError', 'Meeting name must be between 2 and 256 characters'],
  passwordSize: ['invalidPassword', 'Password must be between 2 and 64 characters'],
  voiceBridgeInteger: ['validationError', 'Voice bridge must be an integral value'],
  voiceBridgeTaken: ['nonUniqueVoiceBridge', 'The selected voice bridge is already in use.'],
  parentMissing: ['parentMeetingIDMissing', 'No parent meeting ID was provided for the breakout room'],
  parentUnknown: ['parentMeetingDoesNotExist', 'No parent meeting exists for the breakout room'],
  idNotUnique: ['idNotUnique', 'A meeting already exists with that meeting ID.  Please use a different meeting ID.'],
  meetingUnknown: ['notFound', 'A meeting with that ID does not exist'],
  joinMeetingUnknown: [
    'invalidMeetingIdentifier',
    'The meeting ID that you supplied did not match any existing meetings',
  ],
  meetingEnded: ['meetingForciblyEnded', 'You can not join a meeting that has already been forcibly ended'],
  fullNameMissing: ['missingParamFullName', 'You must provide your name'],
  createTimeMismatch: [
    'mismatchCreateTimeParam',
    'The createTime parameter submitted mismatches with the current meeting.',
  ],
  passwordWrong: ['Params required', 'You must enter a valid password'],
  roleMissing: [
    'Params required',
    'You must either send the valid role of the user, or the password, should the meeting have one.',
  ],
  maxParticipants: ['maxParticipantsReached', 'The number of participants allowed for this meeting has been reached.'],
  guestDenied: ['guestDeniedAccess', "You have been denied access to this meeting based on the meeting's guest policy"],
  recordIdMissing: ['missingParamRecordID', 'You must specify a recordID.'],
  publishMissing: ['missingParamPublish', 'You must specify a publish value true or false.'],
  recordingsUnknown: ['notFound', 'We could not find recordings'],
  documentMissing: ['validationError', 'You must provide at least one document'],
  chatMessageSize: ['validationError', 'Message must be between 1 and 500 characters'],
  chatMeetingUnknown: ['meetingNotFound', 'No meeting with that ID is running'],
  trackKind: ['invalidKind', 'The kind parameter is not set to a permitted value.'],
  trackLanguage: ['invalidLang', 'The lang parameter is not a well-formed language tag.'],
  trackEmpty: ['empty_uploaded_text_track', 'Empty uploaded text track.'],
  trackRecordingUnknown: ['noRecordings', 'No recording was found matching the provided recording ID.'],
  noServer: ['internalError', 'Could not find any available servers.'],
  noTaggedServer: ['serverTagUnavailable', 'There is no available server with the required tag.'],
  serverDisabled: ['serverUnavailable', 'The server for this meeting is disabled/offline.'],
  scaleliteChecksum: ['checksumError', 'You did not pass the checksum security check'],
  scaleliteMeetingIdMissing: ['missingParamMeetingID', 'You must specify a meeting ID for the meeting.'],
  scaleliteMeetingUnknown: [
    'notFound',
    'We could not find a meeting with that meeting ID - perhaps the meeting is not yet running?',
  ],
  filterMissing: ['missingParameters', 'param meetingID or recordID must be included.'],
  hookChecksum: ['checksumError', 'You did not pass the checksum security check.'],
  callbackUrlMissing: ['missingParamCallbackURL', 'You must specify a callbackURL in the parameters.'],
  hookFailed: ['createHookError', 'An error happened while creating your hook. Check the logs.'],
  hookIdMissing: ['missingParamHookID', 'You must specify a hookID in the parameters.'],
  hookUnknown: ['destroyMissingHook', 'The hook informed was not found.'],
} as const satisfies Record<string, readonly [key: string, message: string]>;
