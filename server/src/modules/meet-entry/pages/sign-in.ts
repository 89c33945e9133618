import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { actorOf } from '../../../platform/http/respond.ts';
import { formFailure, formFieldsOf } from '../../../platform/page/page-form.ts';
import { type SignedInUser, signInToRoomPages, signOutOfRoomPages, findRoomPageUser } from '../../auth/index.ts';
import { memberRole } from '../../room-access/index.ts';
import { sendCrossSite } from './answers.ts';
import { forgetSignIn, forgetWaiting, readSignIn, rememberSignIn } from './cookies.ts';
import { emptySignIn, type SignInForm, signInPage } from './person.tsx';
import { keepLanguage, readVisit } from './request.ts';
import { isCrossSite, redirect, sendPage } from './response.ts';
import type { Visit } from './visit.ts';
import type { PageHandler } from './page-types.ts';

export const showSignIn: PageHandler = async (dependencies, request, reply) => {
  const visit = await readVisit(dependencies, request, reply);
  if (!visit.hasCanonicalUrl) return redirect(reply, 302, visit.signInHref);
  keepLanguage(request, reply, visit);
  return visit.user ? redirect(reply, 302, visit.href) : sendSignIn(reply, 200, visit);
};

export const signIn: PageHandler = async (dependencies, request, reply) => {
  const visit = await readVisit(dependencies, request, reply);
  if (isCrossSite(request, dependencies.publicUrl())) return sendCrossSite(reply, visit);
  const { signIn: texts, broken } = visit.chrome.texts;
  const form = formFieldsOf(request);
  const [email, password] = [form['email']?.trim() ?? '', form['password'] ?? ''];
  if (email === '' || password === '') {
    const emailError = email === '' ? texts.emailMissing : null;
    return sendSignIn(reply, 422, visit, {
      email,
      emailError,
      passwordError: password === '' ? texts.passwordMissing : null,
    });
  }
  try {
    const userAgent = request.headers['user-agent'] ?? null;
    const signedIn = await signInToRoomPages(dependencies, actorOf(null, request), { email, password, userAgent });
    if (!signedIn) return sendSignIn(reply, 422, visit, { email, alert: texts.wrong });
    await endSession(dependencies, request);
    rememberSignIn(request, reply, visit.chrome.roomsPath, signedIn.token);
    // A user with a role in the room joins with this role; the role of the link is for other participants.
    const isOwnLink = visit.tokenUserId === signedIn.userId;
    const role = isOwnLink ? null : await memberRole(dependencies.db, signedIn.userId, visit.roomId);
    return redirect(reply, 303, role === null ? visit.href : visit.hrefWithoutToken);
  } catch (error) {
    const { status } = formFailure(reply, error);
    if (status !== 429 && status !== 503) throw error;
    return sendSignIn(reply, status, visit, { email, alert: status === 429 ? texts.tooManyAttempts : broken });
  }
};

/** Removes all data of the user from the browser, since other people may use it as well. */
export const signOut: PageHandler = async (dependencies, request, reply) => {
  const visit = await readVisit(dependencies, request, reply);
  if (isCrossSite(request, dependencies.publicUrl())) return sendCrossSite(reply, visit);
  await endSession(dependencies, request);
  forgetSignIn(request, reply, visit.chrome.roomsPath);
  forgetWaiting(request, reply, visit.path, visit.roomId);
  return redirect(reply, 303, visit.href);
};

/** A signed-in visitor acts as that user. */
export function actorOfVisit({ user }: Visit, request: FastifyRequest): Actor {
  const visitor = actorOf(null, request);
  return user === null ? visitor : { ...visitor, type: 'user', id: user.id, name: user.email };
}

/** The user who is signed in on the room pages. */
export async function signedInUser(dependencies: Dependencies, request: FastifyRequest): Promise<SignedInUser | null> {
  const token = readSignIn(request);
  return token === null ? null : await findRoomPageUser(dependencies, token);
}

async function endSession(dependencies: Dependencies, request: FastifyRequest): Promise<void> {
  const token = readSignIn(request);
  if (token !== null) await signOutOfRoomPages(dependencies, token);
}

function sendSignIn(reply: FastifyReply, status: number, visit: Visit, values: Partial<SignInForm> = {}): FastifyReply {
  const form: SignInForm = { ...emptySignIn, action: visit.signInHref, passwordHelp: visit.passwordHelp, ...values };
  return sendPage(reply, status, signInPage(visit.chrome, visit.room, form, visit.href), visit.pagePolicy);
}
