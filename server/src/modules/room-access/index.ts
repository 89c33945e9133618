import { defineModule } from '../../module.ts';

export {
  availabilityRefusals,
  checkAccess,
  type EntryLimit,
  isCodeProtected,
  isViewerLimit,
  mayStart,
} from './access-rules.ts';
export type { CurrentMeeting } from './access-store.ts';
export { beginSession } from './begin-session.ts';
export { checkCredential, type CheckedCredential, evaluateCredential } from './check-credential.ts';
export { limit, loadAccess, loadAccessToJoin, type LoadedAccess, type PresentedCredential } from './load-access.ts';
export { mayManageVideos, memberRole } from './member-role.ts';
export {
  endedMeanwhile,
  notAccepted,
  refusal,
  refusalSentences,
  refusalTexts,
  type TokenTimes,
  withTokenTime,
} from './refusals.ts';
export { refusedLimit } from './refused-limit.ts';
export {
  type Admission,
  type AcceptedRequest,
  type ParticipantSlot,
  releaseSlot,
  reserveSlot,
  reserveSlotInRunning,
} from './reserve-slot.ts';

export const roomAccess = defineModule({ name: 'room-access' });
