import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { actorOf } from '../../platform/http/respond.ts';
import type { FailureAnswer } from '../../platform/http/failures/respond-to-failure.ts';
import { oneLine } from '../../platform/mailer.ts';
import { basePath, secretPageOptions, tokenOf } from '../../platform/page/page-options.ts';
import { formFailure, formFieldsOf, laterAlert, passwordFault } from '../../platform/page/page-form.ts';
import { sendSecretPage } from '../../platform/page/send-page.ts';
import { textFrameFor } from '../../platform/page/text-frame.ts';
import { fill, type Texts } from '../../platform/text/catalogues.ts';
import { appearanceOf, customerUse, type CustomerStatus, withAppearance } from '../customers/index.ts';
import { acceptInvitation, findOpenInvitation, type OpenInvitation } from './accept-invitation.ts';
import {
  acceptedPage,
  type InvitationChrome,
  type InvitationForm,
  invitationPage,
  noticePage,
  type RoomLink,
} from './page-invitation.tsx';
import { rightsOf } from '../memberships/index.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { signInLink } from '../rooms/index.ts';
import { findActiveRooms, type Target } from './store.ts';

/** GET shows the invitation, POST accepts it: link previews and scanners change nothing. */
export function registerInvitationPages(server: FastifyInstance, dependencies: Dependencies): void {
  const options = secretPageOptions(dependencies, 'invitation page');
  server.get('/invitations/:token', options, (request, reply) => show(dependencies, request, reply));
  server.post('/invitations/:token', options, (request, reply) => accept(dependencies, request, reply));
}

async function show(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const openInvitation = await findOpenInvitation(dependencies, tokenOf(request));
  return await sendForm(dependencies, { request, reply }, openInvitation, {
    status: 200,
    firstName: openInvitation?.invitation.first_name ?? '',
    lastName: openInvitation?.invitation.last_name ?? '',
  });
}

async function accept(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const token = tokenOf(request);
  const openInvitation = await findOpenInvitation(dependencies, token);
  const chrome = await chromeFor(dependencies, request, openInvitation);
  const texts = chrome.texts.invitation;
  const form = formFieldsOf(request);
  const enteredNames = { firstName: nameOf(form['first_name']), lastName: nameOf(form['last_name']) };
  const password = form['password'] ?? '';
  if (!openInvitation || password === '') {
    const passwordError = chrome.texts.forms.passwordMissing;
    return await sendForm(dependencies, { request, reply }, openInvitation, {
      status: 422,
      ...enteredNames,
      ...nameErrors(openInvitation, enteredNames, texts),
      passwordError,
    });
  }
  try {
    const user = await acceptInvitation(dependencies, actorOf(null, request), {
      token,
      first_name: enteredNames.firstName || null,
      last_name: enteredNames.lastName || null,
      password,
    });
    const notice = {
      title: fill(texts.doneTitle, { name: user.first_name }),
      sentence: fill(texts.done, { name: openInvitation.target.name }),
    };
    const rooms = await roomsToOpen(dependencies, openInvitation.target, user.id);
    return sendSecretPage(reply, 200, acceptedPage(chrome, openInvitation, { ...notice, rooms }));
  } catch (error) {
    const failure = formFailure(reply, error);
    if (failure.code === 'already-exists') {
      const notice = { title: texts.memberTitle, sentence: fill(texts.member, { name: openInvitation.target.name }) };
      const rooms =
        openInvitation.user === null
          ? []
          : await roomsToOpen(dependencies, openInvitation.target, openInvitation.user.id);
      return sendSecretPage(reply, 409, acceptedPage(chrome, openInvitation, { ...notice, rooms }));
    }
    const errors = errorsOf(failure, chrome.texts, password);
    if (!errors) throw error;
    const currentInvitation = await findOpenInvitation(dependencies, token);
    return await sendForm(dependencies, { request, reply }, currentInvitation, {
      status: failure.status,
      ...enteredNames,
      ...nameErrors(currentInvitation, enteredNames, texts),
      ...errors,
    });
  }
}

/** Messages for the form; null for a failure that the form cannot show. */
function errorsOf(
  { status, code, errors }: FailureAnswer,
  { forms, invitation }: Texts,
  password: string,
): Partial<InvitationForm> | null {
  const alert = laterAlert(forms, status);
  if (alert !== null) return { alert };
  if (code === 'wrong-credentials') return { passwordError: invitation.passwordWrong };
  if (code === 'customer-not-active' || code === 'link-not-valid') return {};
  if (status !== 422) return null;
  if (errors['password']) return { passwordError: passwordFault(forms, password, true) };
  return errors['email'] ? { alert: errors['email'].join(' ') } : {};
}

function nameErrors(
  openInvitation: OpenInvitation | null,
  enteredNames: Pick<InvitationForm, 'firstName' | 'lastName'>,
  texts: Texts['invitation'],
): Partial<InvitationForm> {
  if (openInvitation?.kind !== 'new') return {};
  return {
    firstNameError: enteredNames.firstName === '' ? texts.nameMissing : null,
    lastNameError: enteredNames.lastName === '' ? texts.nameMissing : null,
  };
}

interface RequestAndReply {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Sends the form; without a valid invitation, a page that says that the link is not valid. */
async function sendForm(
  dependencies: Dependencies,
  { request, reply }: RequestAndReply,
  openInvitation: OpenInvitation | null,
  { status, ...content }: Partial<InvitationForm> & { readonly status: number },
): Promise<FastifyReply> {
  const chrome = await chromeFor(dependencies, request, openInvitation);
  const texts = chrome.texts.invitation;
  if (!openInvitation) {
    return sendSecretPage(reply, 404, noticePage(chrome, { title: texts.deadTitle, sentence: texts.dead }));
  }
  if (!customerUse(openInvitation.target.customerStatus as CustomerStatus).canCreate) {
    const notice = {
      title: texts.closedTitle,
      sentence: fill(texts.closed, { customer: openInvitation.target.customerName }),
    };
    return sendSecretPage(reply, 409, noticePage(chrome, notice));
  }
  const form: InvitationForm = {
    action: `${basePath(dependencies)}/invitations/${tokenOf(request)}`,
    firstName: '',
    lastName: '',
    firstNameError: null,
    lastNameError: null,
    passwordError: null,
    alert: null,
    ...content,
  };
  return sendSecretPage(reply, status, invitationPage(chrome, openInvitation, form));
}

/** Adds the customer's branding if there is a valid invitation. */
async function chromeFor(
  dependencies: Dependencies,
  request: FastifyRequest,
  openInvitation: OpenInvitation | null,
): Promise<InvitationChrome> {
  const chrome = { ...textFrameFor(dependencies, request), heroImage: null };
  if (!openInvitation) return chrome;
  const appearance = await appearanceOf(dependencies.db, openInvitation.invitation.customer_id);
  return { ...withAppearance(chrome, appearance), heroImage: appearance.heroImage };
}

function nameOf(text: string | undefined): string {
  return oneLine((text ?? '').toWellFormed()).slice(0, 150);
}

/** Links to sign in at the room of the invitation, or at the first rooms of the account or customer. */
async function roomsToOpen(dependencies: Dependencies, target: Target, userId: Uuid): Promise<readonly RoomLink[]> {
  const userRights = await rightsOf(dependencies.db, userId, target.level, target.id);
  if (target.roomId === null && !userRights?.rights.has('read-room')) return [];
  const rooms = await findActiveRooms(dependencies.db, target);
  const links = await Promise.all(
    rooms.map(async ({ id, room_name: name }) => {
      const href = await signInLink(dependencies, { roomId: id, roomTokenId: null }, userId);
      return href === null ? [] : [{ name, href }];
    }),
  );
  return links.flat();
}
